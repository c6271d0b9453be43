"""Where a document's text came from, as its writer claims it (contract M7).

The live API and exports spell it differently: one says versions, the other revisions. It is
stored and hashed as exports spell it, so that the digest survives a move between stores.
"""

from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from memory.documents.paths import parse_path
from wire.canonicaljson import canonical_json
from wire.ids import parse_id
from wire.times import parse_time

MAX_ENTRIES: Final = 256
MAX_SOURCE_REF_CHARACTERS: Final = 1_024

MAX_BYTES: Final = 400 * 1024
"""Of all claims as canonical JSON in the exported spelling.

An item of an export holds them beside a text whose 102,400 bytes may take six times as many there,
and has to fit a page of 1 MiB (contract E2).
"""

_LIVE_PREFIX: Final = "memver_"
_EXPORT_PREFIX: Final = "mrev_"


def _parse_revision(text: str) -> str:
    return _EXPORT_PREFIX + parse_id("version", text).removeprefix(_LIVE_PREFIX)


def parse_revision_id(text: str) -> str:
    """Return the identifier of a version as exports spell it, and only so.

    Raises:
        ValueError: it is none.
    """
    if _parse_revision(text) != text:
        raise ValueError(f"expected {_EXPORT_PREFIX} followed by 32 lowercase hexadecimal digits")
    return text


def _parse_time(text: str) -> str:
    parse_time(text)
    return text


def _refuse_null(value: object) -> object:
    if value is None:
        raise ValueError("leave the field out instead of null")
    return value


_Several = Field(max_length=MAX_ENTRIES)
_Absent = BeforeValidator(_refuse_null)

_Path = Annotated[str, AfterValidator(parse_path)]
_EventId = Annotated[str, AfterValidator(partial(parse_id, "event"))]
_VersionId = Annotated[str, AfterValidator(partial(parse_id, "version"))]
_RevisionId = Annotated[str, AfterValidator(parse_revision_id)]
_CurationId = Annotated[str, AfterValidator(partial(parse_id, "curation"))]
_SourceRef = Annotated[str, Field(min_length=1, max_length=MAX_SOURCE_REF_CHARACTERS)]


class _Closed(BaseModel):
    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True
    )


class _Claims(_Closed):
    source_event_ids: Annotated[list[_EventId], _Several]
    """Events that the text was drawn from."""

    source_refs: Annotated[list[_SourceRef], _Several]
    """Sources outside of the system, in the writer's own notation."""

    confidence: Literal["observed", "inferred", "uncertain"]
    """How sure the writer is."""

    valid_from: Annotated[str, AfterValidator(_parse_time)]
    """Since when the text holds: UTC with milliseconds."""

    curation_run: Annotated[_CurationId | None, _Absent] = None
    """The curation run that wrote the text."""

    def exported(self) -> dict[str, Any]:
        """The claims as exports spell them: what is stored and hashed."""
        return self.model_dump(exclude_none=True)

    @model_validator(mode="after")
    def _fits_an_export(self) -> Self:
        size = len(canonical_json(self.exported()))
        if size > MAX_BYTES:
            raise ValueError(f"takes {size:,} bytes in an export; at most {MAX_BYTES:,} are kept")
        return self


class SupersededVersion(_Closed):
    """A document that another one replaces, as the live API names it."""

    path: _Path
    version: _VersionId


class Provenance(_Claims):
    """Provenance as the live API spells it; snapshots may be named by either prefix."""

    source_version_ids: Annotated[list[_VersionId], _Several]
    """Snapshots that the text was drawn from."""

    supersedes: Annotated[SupersededVersion | None, _Absent] = None
    """The document that this one replaces."""

    def exported(self) -> dict[str, Any]:
        claims = super().exported()
        versions = claims.pop("source_version_ids")
        claims["source_revision_ids"] = [_parse_revision(version) for version in versions]
        if self.supersedes:
            revision = _parse_revision(self.supersedes.version)
            claims["supersedes"] = {"path": self.supersedes.path, "revision": revision}
        return claims


class SupersededRevision(_Closed):
    """A document that another one replaces, as exports name it."""

    path: _Path
    revision: _RevisionId


class ExportedProvenance(_Claims):
    """Provenance as exports spell it. Versions are revisions there, and nothing else."""

    source_revision_ids: Annotated[list[_RevisionId], _Several]
    """Revisions that the text was drawn from."""

    supersedes: Annotated[SupersededRevision | None, _Absent] = None
    """The document that this one replaces."""


def live_provenance(exported: Mapping[str, Any]) -> dict[str, Any]:
    """Spell stored provenance as the live API does."""
    claims = dict(exported)
    revisions = claims.pop("source_revision_ids")
    claims["source_version_ids"] = [parse_id("version", revision) for revision in revisions]
    if superseded := claims.get("supersedes"):
        version = parse_id("version", superseded["revision"])
        claims["supersedes"] = {"path": superseded["path"], "version": version}
    return claims


def provenance_sha256(exported: Mapping[str, Any]) -> bytes:
    """The digest of provenance in its exported spelling. It outlives the claims themselves."""
    return sha256(canonical_json(dict(exported))).digest()
