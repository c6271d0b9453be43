"""The saved views of a person."""

from proposals.models import ProposalStatus, SavedView
from proposals.queries.filters import Filters
from tenancy.caller import Caller


def saved_views(caller: Caller) -> list[SavedView]:
    """Those of the person who asks, by name. One query."""
    mine = SavedView.objects.filter(principal__in=[caller.principal_id])
    return list(mine.order_by("name", "id"))


def filters_of(view: SavedView) -> Filters:
    """What a saved view narrows the queue to."""
    return Filters(
        store=view.store_id,
        author=view.author,
        status=ProposalStatus(view.status) if view.status else None,
        text=view.text,
        path=view.path,
    )
