"""Selections on the wire: a ref's name, or one exact version (contract S3)."""

from typing import Annotated, Literal, TypedDict, cast

from pydantic import ConfigDict, Field, with_config

from memory.api.fields import VersionId
from memory.refnaming import CanonicalName, CurationName, ProposalName, SessionName
from sessions.models import SelectionKind
from sessions.mounts.selections import Selection


@with_config(ConfigDict(extra="forbid", strict=True))
class ExactVersion(TypedDict):
    """One version, which never moves."""

    kind: Literal["version"]
    version: VersionId


type Selecting = Annotated[
    ExactVersion | CanonicalName | SessionName | ProposalName | CurationName,
    Field(discriminator="kind"),
]
"""What a mount reads instead of the current state."""

_FIELDS = {
    SelectionKind.VERSION: "version",
    SelectionKind.SESSION: "session",
    SelectionKind.PROPOSAL: "proposal",
    SelectionKind.CURATION: "run",
}


def parse_selection(selecting: Selecting | None) -> Selection | None:
    """The selection that a request names."""
    if selecting is None:
        return None
    kind = SelectionKind(selecting["kind"])
    field = _FIELDS.get(kind)
    return Selection(kind, cast("dict[str, str]", selecting)[field] if field else None)


def render_selection(selection: Selection | None) -> Selecting | None:
    """A selection as requests spell it."""
    if selection is None:
        return None
    field = _FIELDS.get(selection.kind)
    named = {field: selection.id} if field else {}
    return cast("Selecting", {"kind": str(selection.kind), **named})
