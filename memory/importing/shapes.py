"""The shapes of an export, strictly: what GET export and GET export-pages answer (E1, E2).

Each item is checked here as far as it can be alone: identifiers, paths, hashes of contents,
digests of provenance, times. What items say of each other is checked when they are built.
"""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from memory.documents.mediatypes import parse_media_type
from memory.documents.paths import parse_path
from memory.documents.provenance import ExportedProvenance, parse_revision_id, provenance_sha256
from memory.documents.texts import MAX_TEXT_BYTES, parse_text
from memory.trees.hashing import content_sha256, parse_hash, spell_hash
from wire.ids import parse_id
from wire.times import parse_time

FORMAT: Final = "checkfu.memory-store-export"
MAX_PAGE_ITEMS: Final = 200
MAX_PAGE_BYTES: Final = 1024 * 1024
MAX_CURSOR_CHARACTERS: Final = 16_384

KINDS: Final = ("revision", "path_fence", "document_version", "revision_entry", "ref")
"""The kinds of items in the order in which an export has them."""

REF_OWNERS: Final = {
    "canonical": "",
    "session": "session",
    "proposal": "proposal",
    "curation": "run",
}
"""Kinds of refs in their order → the field that names the owner."""


def ref_order(ref: Mapping[str, Any]) -> tuple[int, str]:
    """What refs are ordered by: their kind, then their owner."""
    kind = ref["kind"]
    return [*REF_OWNERS].index(kind), ref.get(REF_OWNERS[kind], "")


def _time(text: str) -> str:
    parse_time(text)
    return text


StoreId = Annotated[str, AfterValidator(partial(parse_id, "store"))]
RevisionId = Annotated[str, AfterValidator(parse_revision_id)]
DocumentId = Annotated[str, AfterValidator(partial(parse_id, "document"))]
SessionId = Annotated[str, AfterValidator(partial(parse_id, "session"))]
CurationId = Annotated[str, AfterValidator(partial(parse_id, "curation"))]
Path = Annotated[str, AfterValidator(parse_path)]
Hash = Annotated[str, AfterValidator(lambda text: (parse_hash(text), text)[1])]
Time = Annotated[str, AfterValidator(_time)]
Count = Annotated[int, Field(ge=0, le=2**53)]


class _Closed(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class PrincipalActor(_Closed):
    kind: Literal["principal"]
    principal: Annotated[str, AfterValidator(partial(parse_id, "principal"))]


class KeyActor(_Closed):
    kind: Literal["api_key"]
    key: Annotated[str, AfterValidator(partial(parse_id, "api_key"))]


class AgentActor(_Closed):
    kind: Literal["session_agent"]
    session: SessionId
    agent: Annotated[str, AfterValidator(partial(parse_id, "agent"))]


class CuratorActor(_Closed):
    kind: Literal["curator"]
    run: CurationId


class PlatformActor(_Closed):
    kind: Literal["platform"]
    operation: Literal["import", "redaction"]


Actor = Annotated[
    PrincipalActor | KeyActor | AgentActor | CuratorActor | PlatformActor,
    Field(discriminator="kind"),
]


class Revision(_Closed):
    id: RevisionId
    store: StoreId
    parent_revision: RevisionId | None
    kind: Literal[
        "initial", "direct", "session_checkpoint", "curation", "proposal", "redaction", "import"
    ]
    actor: Actor
    document_count: Count
    total_bytes: Count
    tree_hash: Hash
    created_at: Time


class PathFence(_Closed):
    path: Path


class Document(_Closed):
    path: Path
    content_sha256: Hash
    media_type: Annotated[str, AfterValidator(parse_media_type)]
    bytes: Annotated[int, Field(ge=0, le=MAX_TEXT_BYTES)]
    provenance: ExportedProvenance | None


class AvailableBody(_Closed):
    state: Literal["available"]
    content: Annotated[str, AfterValidator(parse_text)]
    expires_at: Time | None


class ErasedBody(_Closed):
    state: Literal["erased"]


class WrittenDocument(_Closed):
    """A document with its body: what document versions and the rows of a whole export share."""

    document: Document
    provenance_sha256: Hash | None
    body: Annotated[AvailableBody | ErasedBody, Field(discriminator="state")]

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if isinstance(self.body, AvailableBody):
            _check_content(self.document, self.body.content)
            _check_provenance(self.document.provenance, self.provenance_sha256)
        elif self.document.provenance is not None:
            raise ValueError(
                "document.provenance: it goes with an erased body, so null is expected"
            )
        return self


class DocumentVersion(WrittenDocument):
    id: DocumentId


class RevisionEntry(_Closed):
    revision: RevisionId
    path: Path
    document_version: DocumentId


class _Pointer(_Closed):
    store: StoreId
    revision: RevisionId
    updated_at: Time


class CanonicalRef(_Pointer):
    kind: Literal["canonical"]


class SessionRef(_Pointer):
    kind: Literal["session"]
    session: SessionId


class ProposalRef(_Pointer):
    kind: Literal["proposal"]
    proposal: Annotated[str, AfterValidator(partial(parse_id, "proposal"))]


class CurationRef(_Pointer):
    kind: Literal["curation"]
    run: CurationId


Ref = Annotated[CanonicalRef | SessionRef | ProposalRef | CurationRef, Field(discriminator="kind")]


SHAPES: Final[Mapping[str, TypeAdapter[Any]]] = {
    "revision": TypeAdapter(Revision),
    "path_fence": TypeAdapter(PathFence),
    "document_version": TypeAdapter(DocumentVersion),
    "revision_entry": TypeAdapter(RevisionEntry),
    "ref": TypeAdapter(Ref),
}
"""What an item of each kind holds under the name of its kind."""


class WholeStore(_Closed):
    kind: Literal["container"]


class Manifest(_Closed):
    """What an export holds; equal on each page."""

    format: Literal["checkfu.memory-store-export"]
    version: Literal[2]
    source_store: StoreId
    scope: WholeStore
    generation: Count
    as_of: Time
    revision_count: Count
    document_version_count: Count
    revision_entry_count: Count
    ref_count: Count
    path_fence_count: Count

    @property
    def counts(self) -> list[int]:
        """How many items there are of each kind, in the order of KINDS."""
        return [getattr(self, f"{kind}_count") for kind in KINDS]


class Page(_Closed):
    """A page, whose items are looked at one by one."""

    manifest: Manifest
    page_ordinal: Count
    items: Annotated[list[Any], Field(max_length=MAX_PAGE_ITEMS)]
    item_bytes: Annotated[int, Field(ge=0, le=MAX_PAGE_BYTES)]
    next_page: Annotated[str, Field(max_length=MAX_CURSOR_CHARACTERS)] | None


class WholeRow(WrittenDocument):
    """What one revision holds at one path, in a whole export."""

    revision: RevisionId


class Whole(_Closed):
    """A whole export, whose parts are looked at one by one."""

    store: StoreId
    revisions: list[Any]
    refs: list[Any]
    documents: list[Any]
    path_fences: list[Any]


def _check_content(document: Document, content: str) -> None:
    raw = content.encode()
    if len(raw) != document.bytes:
        raise ValueError(f"document.bytes: {document.bytes:,} are declared, {len(raw):,} are there")
    if content_sha256(raw) != parse_hash(document.content_sha256):
        raise ValueError("document.content_sha256: it is not the hash of body.content")


def _check_provenance(provenance: ExportedProvenance | None, digest: str | None) -> None:
    expected = provenance and spell_hash(provenance_sha256(provenance.exported()))
    if digest != expected:
        raise ValueError("provenance_sha256: it is not the digest of document.provenance")
