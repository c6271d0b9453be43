"""How refs are called on the wire and in exports (contract M4)."""

from typing import Annotated, Literal, TypedDict, cast

from pydantic import ConfigDict, Field, with_config

from memory.models import Ref, RefKind, RefMove
from memory.refs import RefName
from wire.fields import IdOf

_closed = with_config(ConfigDict(extra="forbid", strict=True))


@_closed
class CanonicalName(TypedDict):
    """The shared truth of a store."""

    kind: Literal["canonical"]


@_closed
class SessionName(TypedDict):
    """The working ref of a Session."""

    kind: Literal["session"]
    session: Annotated[str, IdOf("session")]


@_closed
class ProposalName(TypedDict):
    """The frozen ref of an open Proposal."""

    kind: Literal["proposal"]
    proposal: Annotated[str, IdOf("proposal")]


@_closed
class CurationName(TypedDict):
    """The ref of a curation run."""

    kind: Literal["curation"]
    run: Annotated[str, IdOf("curation")]


type RefNaming = Annotated[
    CanonicalName | SessionName | ProposalName | CurationName, Field(discriminator="kind")
]
"""How a ref is named, in requests and in answers alike."""

_OWNER_FIELDS = {RefKind.SESSION: "session", RefKind.PROPOSAL: "proposal", RefKind.CURATION: "run"}


def parse_ref_name(naming: RefNaming) -> RefName:
    """The ref that a request names."""
    kind = RefKind(naming["kind"])
    field = _OWNER_FIELDS.get(kind)
    return RefName(kind, cast("dict[str, str]", naming)[field] if field else None)


def render_ref_name(row: Ref | RefMove) -> RefNaming:
    """How a ref is called."""
    field = _OWNER_FIELDS.get(RefKind(row.kind))
    owner = {field: row.owner_id} if field else {}
    return cast("RefNaming", {"kind": row.kind, **owner})
