"""docs/sessions.md: its commands, run as they are printed."""

from pathlib import Path

import pytest

from tests.browser.serving import served
from tests.docs.shell import Shell, blocks
from tests.factories import make_admin_key, make_workspace

GUIDE = Path(__file__).parents[2] / "docs" / "sessions.md"

ANSWERS = {
    "SESSION=$(": "shared_owner\n",
    "STORE=": "[]\nAsk before you delete.\n\nmemory.not_found\n",
    "RUNNER_KEY=$(": "committed\n",
    "SHARED=": "session_agent\napproved\n",
    "EXACT=$(": "Ask before you delete.\n\n/learned.md\n",
}
"""How a block begins → what it prints, somewhere."""


@pytest.mark.django_db(transaction=True)
def test_an_agent_works_from_end_to_end_as_printed():
    secret = make_admin_key(make_workspace())[1]
    _, *steps = blocks(GUIDE)
    unseen = set(ANSWERS)
    with served() as address, Shell({"CHECKFU_URL": address, "CHECKFU_KEY": secret}) as shell:
        for step in steps:
            printed = shell.run(step)
            for begins in [begins for begins in unseen if step.startswith(begins)]:
                assert ANSWERS[begins] in printed, (begins, printed)
                unseen.discard(begins)

    assert not unseen
