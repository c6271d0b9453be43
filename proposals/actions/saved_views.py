"""Keeping filters of the review queue under a name."""

from typing import Final

from database.transactions import durable, step
from memory.access import open_store
from proposals.models import SavedView
from proposals.models.saved_views import AUTHORS
from proposals.queries.filters import Filters
from tenancy.audit import record
from tenancy.caller import Caller
from tenancy.queries import find_principal
from wire.errors import NotFound, PolicyDenied, RangeTooLarge
from wire.ids import kind_among
from wire.times import now

MOST: Final = 50
"""Saved views of one person."""


@durable
def keep_view(*, caller: Caller, name: str, filters: Filters, is_default: bool) -> SavedView:
    """Keep filters under a name; what had the name before is replaced.

    Raises:
        PolicyDenied: the caller is no principal, or was only named.
        NotFound: the store is not there for the caller.
        RangeTooLarge: the person has `MOST` views already.
    """
    person = _hold_person(caller)
    if filters.store:
        open_store(caller, filters.store).require_content()
    mine = SavedView.objects.filter(principal=person)
    if not mine.filter(name=name).exists() and mine.count() >= MOST:
        raise RangeTooLarge(f"A person keeps {MOST} views at most.")
    if is_default:
        mine.update(is_default=False)
    view, _ = SavedView.objects.update_or_create(
        principal_id=person,
        name=name,
        defaults={
            "store_id": filters.store,
            "author_kind": kind_among(AUTHORS, filters.author) if filters.author else None,
            "author_uuid": filters.author,
            "status": filters.status,
            "text": filters.text,
            "path": filters.path,
            "is_default": is_default,
            "saved_at": now(),
        },
    )
    _tell(caller, person, "saved", view.id)
    return view


@durable
def choose_default_view(*, caller: Caller, view_id: int, chosen: bool) -> None:
    """Let one's queue begin with a view, or with everything again.

    Raises:
        PolicyDenied: the caller is no principal, or was only named.
        NotFound: the person has no such view.
    """
    person = _hold_person(caller)
    mine = SavedView.objects.filter(principal=person)
    _require(found=mine.filter(id=view_id).exists())
    mine.filter(is_default=True).update(is_default=False)
    if chosen:
        mine.filter(id=view_id).update(is_default=True)
    _tell(caller, person, "chosen" if chosen else "left", view_id)


@durable
def delete_view(*, caller: Caller, view_id: int) -> None:
    """Forget a saved view.

    Raises:
        PolicyDenied: the caller is no principal, or was only named.
        NotFound: the person has no such view.
    """
    person = _hold_person(caller)
    gone, _ = SavedView.objects.filter(principal=person, id=view_id).delete()
    _require(found=bool(gone))
    _tell(caller, person, "deleted", view_id)


@step
def _hold_person(caller: Caller) -> str:
    """The person's ID; their other changes of views wait until this one is done."""
    if caller.principal_id is None or caller.named_principal_id:
        raise PolicyDenied("Only people who sign in keep views.")
    return find_principal(caller, caller.principal_id, for_update=True).id


def _require(*, found: bool) -> None:
    if not found:
        raise NotFound("You have no such view.")


@step
def _tell(caller: Caller, person: str, verb: str, view_id: int) -> None:
    record(
        caller=caller,
        event=f"saved_view.{verb}",
        target_kind="principal",
        target_id=person,
        detail={"view": view_id},
    )
