"""What the support agent had from its author, learned, and proposed."""

from functools import partial
from typing import Final

from console.demo.changes import TEXTS, Add, Edit
from console.demo.desk import Change, Role

_add = partial(Add, folder="desk-notes")

BEGINNING: Final = Change(Role.AUTHOR, "Say what these notes are for", [_add("/what-to-keep.md")])

LEARNED_PATH: Final = "/questions/gift-cards.md"
CALLED_PATH: Final = "/questions/changed-address.md"

PROPOSED: Final = Change(
    Role.AGENT,
    "Say what to do when a gift card is not accepted",
    [
        Edit(
            "/support/known-issues.md",
            "## Parcel status stands still\n",
            "## A gift card is not accepted\n\n"
            "Cards can be used from the day after they were bought. Look up when that was before"
            " you ask\nanything, and never ask for the card's whole number.\n\n"
            "## Parcel status stands still\n",
        )
    ],
    "Learned from a customer who had typed the number four times. The help page says so too.",
)


def learned(path: str) -> str:
    """What the agent wrote down there."""
    return (TEXTS / "desk-notes" / path.lstrip("/")).read_text(encoding="utf-8")
