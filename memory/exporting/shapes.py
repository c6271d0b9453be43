"""What exports are made of, in their own spelling: a version is a revision there (E1, E2)."""

from typing import Literal, NotRequired, TypedDict

from memory.actornaming import Actor
from memory.versions.kinds import VersionKindName


class ExportedRevision(TypedDict):
    """A MemoryVersion, without its message."""

    id: str
    store: str
    parent_revision: str | None
    kind: VersionKindName
    actor: Actor
    document_count: int
    total_bytes: int
    tree_hash: str
    created_at: str


class ExportedFence(TypedDict):
    """A path that was redacted for ever."""

    path: str


class ExportedSupersedes(TypedDict):
    """The document that another one replaces."""

    path: str
    revision: str


class ExportedProvenance(TypedDict):
    """Where a text came from, as its writer says."""

    source_event_ids: list[str]
    source_revision_ids: list[str]
    source_refs: list[str]
    curation_run: NotRequired[str]
    confidence: Literal["observed", "inferred", "uncertain"]
    valid_from: str
    supersedes: NotRequired[ExportedSupersedes]


class ExportedDocument(TypedDict):
    """What is known of a text without the text. Provenance goes with the body."""

    path: str
    content_sha256: str
    media_type: str
    bytes: int
    provenance: ExportedProvenance | None


class AvailableBody(TypedDict):
    """A text, and when it has to go."""

    state: Literal["available"]
    content: str
    expires_at: str | None


class ErasedBody(TypedDict):
    """That a text is gone."""

    state: Literal["erased"]


class ExportedDocumentVersion(TypedDict):
    """One write of a document at a path."""

    id: str
    document: ExportedDocument
    provenance_sha256: str | None
    body: AvailableBody | ErasedBody


class ExportedEntry(TypedDict):
    """What one revision holds at one path."""

    revision: str
    path: str
    document_version: str


class _Pointer(TypedDict):
    store: str
    revision: str
    updated_at: str


class ExportedCanonicalRef(_Pointer):
    """Where the shared truth of a store is."""

    kind: Literal["canonical"]


class ExportedSessionRef(_Pointer):
    """Where the working ref of a Session is."""

    kind: Literal["session"]
    session: str


class ExportedProposalRef(_Pointer):
    """Where the frozen ref of an open Proposal is."""

    kind: Literal["proposal"]
    proposal: str


class ExportedCurationRef(_Pointer):
    """Where the ref of a curation run is."""

    kind: Literal["curation"]
    run: str


type ExportedRef = (
    ExportedCanonicalRef | ExportedSessionRef | ExportedProposalRef | ExportedCurationRef
)
