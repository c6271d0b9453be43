"""A store of the service's own: it writes there directly, and a few people may read along."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from console.demo.cast import Cast
from console.demo.changes import Add, Edit
from console.demo.desk import Change, Desk, Role
from console.demo.stores import ensure_store, grant_on_store
from memory.actions.stores import Owner, StoreSettings
from memory.models import OwnerKind
from tenancy.caller import Caller
from tenancy.models import Permission

NAME: Final = "assistant-notes"
DESCRIPTION: Final = "What the support assistant keeps for itself, and writes without a review."

_add = partial(Add, folder=NAME)

STORY: Final = (
    Change(
        Role.ASSISTANT,
        "Keep the answers that worked, and the questions that come first",
        [_add("/answers-that-worked.md"), _add("/questions-to-ask-first.md")],
    ),
    Change(Role.ASSISTANT, "Begin a list of what to propose", [_add("/to-propose.md")]),
    Change(
        Role.ASSISTANT,
        "Tick off the certificate runbook, which is proposed now",
        [
            Edit(
                "/to-propose.md",
                "- [ ] What to do when a certificate has expired",
                "- [x] What to do when a certificate has expired",
            )
        ],
    ),
)


def load_assistant_notes(cast: Cast, callers: Mapping[Role, Caller]) -> None:
    """Make the store, its notes and their short history."""
    owner = Owner(OwnerKind.PRINCIPAL, cast.service.id)
    store_id = ensure_store(
        callers[Role.ASSISTANT], cast.workspace, StoreSettings(NAME, owner, DESCRIPTION)
    )
    for person in (cast.author, cast.reviewer):
        grant_on_store(store_id, person, Permission.READ)
    desk = Desk(store_id, callers)
    for change in STORY:
        desk.write(change)
