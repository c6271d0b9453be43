"""The team's memory: a store under review, with Proposals in every state."""

from collections.abc import Mapping
from typing import Final

from console.demo import team_story as story
from console.demo.cast import Cast
from console.demo.desk import Desk, Role
from console.demo.stores import ensure_store, grant_on_agent, grant_on_store
from memory.actions.stores import Owner, StoreSettings
from memory.models import CanonicalWrites, OwnerKind
from tenancy.caller import Caller
from tenancy.models import Permission

NAME: Final = "team-memory"
DESCRIPTION: Final = "What a team that runs a web shop and its agents know in common."


def load_team_memory(cast: Cast, callers: Mapping[Role, Caller]) -> None:
    """Make the store and let its story happen.

    The author and the assistant fill it directly, the admin erases what should not be there and
    puts the store under review, and from then on the reviewer decides.
    """
    desk = Desk(_ensure_store(cast, callers[Role.ADMIN]), callers)
    for change in story.BEGINNINGS:
        desk.write(change)
    desk.write_and_erase(story.PHONE_NUMBERS, story.PHONE_NUMBERS_PATH)
    desk.put_under_review()
    _decide(desk)
    for change in story.WAITING:
        desk.propose(change)


def _ensure_store(cast: Cast, admin: Caller) -> str:
    owner = Owner(OwnerKind.WORKSPACE, cast.workspace.id)
    store_id = ensure_store(
        admin,
        cast.workspace,
        StoreSettings(NAME, owner, DESCRIPTION, canonical_writes=CanonicalWrites.DIRECT),
    )
    grant_on_store(store_id, cast.reviewer, Permission.READ, Permission.WRITE, Permission.REVIEW)
    grant_on_store(store_id, cast.author, Permission.READ, Permission.WRITE)
    grant_on_store(store_id, cast.admin, Permission.READ, Permission.ADMIN)
    grant_on_store(store_id, cast.service, Permission.READ, Permission.WRITE)
    grant_on_store(store_id, cast.agent, Permission.READ, Permission.WRITE)
    for person in (cast.author, cast.reviewer):
        grant_on_agent(cast.agent, person, Permission.ACT_AS)
    return store_id


def _decide(desk: Desk) -> None:
    """What was decided so far: approved, rejected, superseded and proposed again, left stale."""
    desk.approve(desk.propose(story.REVIEW_FROM_NOW_ON), story.REVIEW_FROM_NOW_ON_NOTE)
    desk.approve(desk.propose(story.SPLIT_PARCELS), story.SPLIT_PARCELS_NOTE)
    desk.reject(desk.propose(story.DELIVERY_DATES), story.DELIVERY_DATES_NOTE)
    early = desk.propose(story.ORDER_NUMBER)
    desk.approve(desk.propose(story.REFUND_LIMIT), story.REFUND_LIMIT_NOTE)
    desk.approve(early)  # too late: canonical has moved, so this becomes superseded
    desk.propose(story.EARLIER_PAGE)  # stale as soon as the next one is approved
    desk.approve(desk.repropose(Role.AUTHOR, early), story.ORDER_NUMBER_NOTE)
