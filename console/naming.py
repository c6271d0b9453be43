"""Names for identifiers: who is behind a kind and an ID, looked up once a page."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from database.compiled import compiled
from memory.models import ActorKind
from tenancy.models import Agent, ApiKey, CollaborationSpace, Principal, Workspace
from wire import ids

type Reference = tuple[str | None, UUID | None]
"""A kind and a UUID, as the (kind, ID) columns of a row hold them."""

_ICONS = {
    "principal": "user",
    "api_key": "key",
    "agent": "cpu-chip",
    "agent_definition": "cpu-chip",
    "workspace": "building-office-2",
    "session": "chat-bubble-left-right",
    "session_agent": "cpu-chip",
    "collaboration_space": "user-group",
    "curator": "sparkles",
    "platform": "cog-6-tooth",
}
_SOURCES: Mapping[str, Any] = {
    "principal": Principal,
    "api_key": ApiKey,
    "agent": Agent,
    "agent_definition": Agent,
    "collaboration_space": CollaborationSpace,
    "workspace": Workspace,
}
_PREFIX_KINDS = {"session_agent": "session", "curator": "curation"}


@dataclass(frozen=True, slots=True)
class Named:
    """Somebody or something, as a page tells it."""

    kind: str
    id: str | None
    label: str
    icon: str

    @property
    def kind_label(self) -> str:
        """The kind in words."""
        return self.kind.replace("_", " ").capitalize()


class Names:
    """The names of all that one page mentions: at most one query for each kind.

    Args:
        workspace_id: names of other Workspaces are never looked up.
        references: what the page mentions.
    """

    def __init__(self, workspace_id: str, references: Iterable[Reference]) -> None:
        wanted: dict[str, set[UUID]] = {}
        for kind, uuid in references:
            if kind is not None and kind in _SOURCES and uuid is not None:
                wanted.setdefault(kind, set()).add(uuid)
        self._labels = {kind: _labels(kind, workspace_id, uuids) for kind, uuids in wanted.items()}

    def of(self, kind: str, uuid: UUID | None) -> Named:
        """The name of one thing; its short ID when it has none."""
        if uuid is None:
            return Named(kind, None, kind.replace("_", " ").capitalize(), _icon(kind))
        identifier = ids.id_from_uuid(_PREFIX_KINDS.get(kind, kind), uuid)
        label = self._labels.get(kind, {}).get(uuid)
        return Named(kind, identifier, label or f"…{identifier[-8:]}", _icon(kind))

    def actor(self, row: Any) -> Named:
        """Who did something, by a row's or a record's `actor_…` columns (contract M3)."""
        if row.actor_kind == ActorKind.PLATFORM:
            what = {"import": "Import", "redaction": "Redaction"}.get(row.actor_operation or "", "")
            return Named("platform", None, what or "Platform", _icon("platform"))
        return self.of(row.actor_kind, row.actor_uuid)


def _icon(kind: str) -> str:
    return _ICONS.get(kind, "question-mark-circle")


@compiled
def _person(*, person_id: str, workspace_id: str) -> QuerySet[Any, Any]:
    rows = Principal.objects.filter(id=person_id, workspace=workspace_id)
    return rows.values_list("id", "name")


def _labels(kind: str, workspace_id: str, uuids: set[UUID]) -> dict[UUID, str]:
    if kind == "principal" and len(uuids) == 1:
        person_id = ids.id_from_uuid(kind, next(iter(uuids)))
        found = _person(person_id=person_id, workspace_id=workspace_id)
        return {ids.uuid_from_id(identifier): name for identifier, name in found}
    model = _SOURCES[kind]
    rows = model.objects.filter(id__in=uuids)
    if model is Workspace:
        rows = rows.filter(id=workspace_id)
    else:
        rows = rows.filter(workspace=workspace_id)
    labels = rows.values_list("id", "name")
    return {ids.uuid_from_id(identifier): name for identifier, name in labels}
