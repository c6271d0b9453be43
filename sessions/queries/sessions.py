"""Sessions with what they mount."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery

from sessions.access import listable_sessions
from sessions.models import Mount, Run
from tenancy.caller import Caller


def mounts_by_session(session_ids: Collection[str]) -> dict[str, list[Mount]]:
    """The mounts of some Sessions, in the order of each. One query."""
    found: dict[str, list[Mount]] = defaultdict(list)
    mounts = Mount.objects.filter(session__in=list(session_ids))
    for mount in mounts.order_by("session", "position"):
        found[mount.session_id].append(mount)
    return found


def sessions_for_list(caller: Caller) -> QuerySet[Any]:
    """The Sessions that a list shows, with who takes part and how much there is of each."""
    sessions: QuerySet[Any] = (
        listable_sessions(caller)
        .select_related("agent", "principal", "space")
        .annotate(mount_count=_count(Mount), run_count=_count(Run))
    )
    return sessions.order_by("-id")


def _count(model: type[Mount] | type[Run]) -> Subquery:
    """How many rows of a model a Session has."""
    rows = model.objects.filter(session=OuterRef("id")).order_by().values("session")
    return Subquery(rows.values(count=Count("id")), output_field=IntegerField())
