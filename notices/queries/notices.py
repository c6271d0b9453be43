"""The notices of a person, of what they may still read."""

from typing import Any

from django.db.models import Count, QuerySet

from database.compiled import compiled
from notices.models import Notice
from proposals.queries.rows import stores_where
from tenancy.caller import Caller, bare_caller
from tenancy.models import Permission


def notices_of(caller: Caller) -> QuerySet[Any]:
    """The person's notices, the newest first, with their Proposals and stores.

    Those of a store that they may not read any more are told to nobody.
    """
    rows = _mine(caller).select_related("proposal", "store")
    return rows.defer("proposal__document_versions").order_by("-id")


def unread_count(caller: Caller) -> int:
    """How many of them are not read. One query at most."""
    if not caller.principal_id:
        return 0
    return sum(_unread(workspace_id=caller.workspace_id, principal_id=caller.principal_id))


@compiled
def _unread(*, workspace_id: str, principal_id: str) -> QuerySet[Any, Any]:
    mine = _mine(bare_caller(workspace_id, None, principal_id)).filter(read_at=None)
    counted: QuerySet[Any, Any] = mine.values("principal").annotate(unread=Count("id"))
    return counted.values_list("unread", flat=True)


def _mine(caller: Caller) -> QuerySet[Any]:
    readable = stores_where(caller, Permission.READ).values("id")
    return Notice.objects.filter(principal__in=[caller.principal_id], store__in=readable)
