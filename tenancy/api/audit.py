"""/v1/audit-entries: who changed what, for the admins of the Workspace."""

from typing import Annotated, Any, TypedDict

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from tenancy import queries
from tenancy.administration import require_admin
from tenancy.api.base import ApiView, caller_of
from tenancy.models import AuditEntry
from wire.errors import PolicyDenied
from wire.fields import IdOf
from wire.ids import PREFIXES, id_from_uuid
from wire.operations import Listing, operation
from wire.paging import PagedQuery, list_body, newest_first
from wire.parsing import parse_query
from wire.times import render_time


class AuditQuery(PagedQuery):
    """Which entries to list."""

    target: Annotated[str, IdOf(*PREFIXES)] | None = None
    """Only what was done to this."""
    event: Annotated[str, Field(pattern=r"^[a-z_]+\.[a-z_]+$", max_length=100)] | None = None
    """Only this kind of event, as `api_key.revoked`."""


class AuditPartyOut(TypedDict):
    """A kind and an ID; the platform itself has none."""

    kind: str
    id: str | None


class AuditEntryOut(TypedDict):
    """One change: the credential that made it and the principal that it acted for."""

    at: str
    event: str
    actor: AuditPartyOut
    acting_principal: str | None
    target: AuditPartyOut
    detail: dict[str, Any]
    request_id: str


def render_entry(entry: AuditEntry) -> AuditEntryOut:
    acting = entry.acting_principal_uuid
    return {
        "at": render_time(entry.at),
        "event": entry.event,
        "actor": {"kind": entry.actor_kind, "id": entry.actor_id},
        "acting_principal": id_from_uuid("principal", acting) if acting else None,
        "target": {"kind": entry.target_kind, "id": entry.target_id},
        "detail": entry.detail,
        "request_id": entry.request_id,
    }


class AuditEntriesView(ApiView):
    @operation(
        "audit.listAuditEntries",
        summary="List the audit trail",
        query=AuditQuery,
        answers={200: Listing[AuditEntryOut]},
        errors=(PolicyDenied,),
    )
    def get(self, request: Request) -> Response:
        """Newest first. IDs, counts and closed words, never content. Needs an admin key."""
        caller = caller_of(request)
        query = parse_query(request, AuditQuery)
        require_admin(caller)
        found = queries.audit_entries(caller, target_id=query.target, event=query.event)
        rows, next_page = newest_first(found, query, position=int)
        return Response(list_body([render_entry(row) for row in rows], next_page))
