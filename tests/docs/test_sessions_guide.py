"""docs/sessions.md: its commands, run as they are printed."""

from pathlib import Path

import pytest

from tests.docs.guides import run_as_printed

GUIDE = Path(__file__).parents[2] / "docs" / "sessions.md"

ANSWERS = {
    "SESSION=$(": "shared_owner\n",
    "MOUNTS=": "[]\n",
    "STORE=": "/learned.md\nAsk before you delete.\n\nmemory.not_found\n",
    "RUNNER_KEY=$(": "committed\n",
    "NATIVE=$(": "finished\ncall-1\nRead the help first.\n",
    "SHARED=": "session_agent\napproved\n",
    "EXACT=$(": "Ask before you delete.\n",
    "BEFORE=$(": (
        "approved\nAsk before you delete, unless it is yours.\n\n"
        "Ask before you delete.\n\n/learned.md\n"
    ),
}
"""How a block begins → what it prints, somewhere."""


@pytest.mark.django_db(transaction=True)
def test_an_agent_works_from_end_to_end_as_printed():
    run_as_printed(GUIDE, ANSWERS)
