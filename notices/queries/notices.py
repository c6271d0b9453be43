"""The notices of a person, of what they may still read."""

from typing import Any

from django.db.models import QuerySet

from notices.models import Notice
from proposals.queries.rows import stores_where
from tenancy.caller import Caller
from tenancy.models import Permission


def notices_of(caller: Caller) -> QuerySet[Any]:
    """The person's notices, the newest first, with their Proposals and stores.

    Those of a store that they may not read any more are told to nobody.
    """
    rows = _mine(caller).select_related("proposal", "store")
    return rows.defer("proposal__document_versions").order_by("-id")


def unread_count(caller: Caller) -> int:
    """How many of them are not read. One query."""
    return _mine(caller).filter(read_at=None).count()


def _mine(caller: Caller) -> QuerySet[Any]:
    readable = stores_where(caller, Permission.READ).values("id")
    return Notice.objects.filter(principal__in=[caller.principal_id], store__in=readable)
