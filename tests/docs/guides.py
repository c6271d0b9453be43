"""Runs a page of the documentation against a server, as its reader would from top to bottom."""

from collections.abc import Mapping
from pathlib import Path

from tests.browser.serving import served
from tests.docs.shell import Shell, blocks
from tests.factories import make_admin_key, make_workspace


def run_as_printed(guide: Path, answers: Mapping[str, str]) -> None:
    """Run all blocks but the first, which tells how to get a key, with an admin key.

    Args:
        answers: how a block begins → what it prints, somewhere.
    """
    secret = make_admin_key(make_workspace())[1]
    _, *steps = blocks(guide)
    unseen = set(answers)
    with served() as address, Shell({"CHECKFU_URL": address, "CHECKFU_KEY": secret}) as shell:
        for step in steps:
            printed = shell.run(step)
            for begins in [begins for begins in unseen if step.startswith(begins)]:
                assert answers[begins] in printed, (begins, printed)
                unseen.discard(begins)

    assert not unseen
