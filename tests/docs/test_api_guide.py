"""docs/api.md, run as it is printed, and held against the routes that there are."""

import re
from pathlib import Path

import pytest

from tests.docs.guides import run_as_printed
from wire.errors import CATALOGUE

GUIDE = Path(__file__).parents[2] / "docs" / "api.md"

ANSWERS = {
    "own -X PATCH": "2\nmemory.conflict\n",
    'own -X PUT "$DOCUMENT"': "False\nmemory.conflict\n",
    "own -o /dev/null": "304\n",
    'own "$DOCUMENT&version=$FIRST"': "# First\n\nWrite it down.\n\nSort ideas by topic\n",
    "FORK=$(": "False\nactive\n",
    'own "$NOTEBOOK/export"': "available\n",
    "export_pages() {": "None\n",
    "TEAM=$(": "memory.read_only\n",
    "PROPOSAL=$(": "False\nTrue\n",
    'review "$SHARED/proposals/$PROPOSAL/diff': "approved\nReview before you merge.\n",
    "COMMENT=$(": "None\n1\n",
    "api -X DELETE": "204\nmemory.not_found\n",
    'own -X PUT "$NOTEBOOK/document?path=/leak.md"': '"path_count":1,"hash_count":1',
    "REPORT=$(": "attested",
    "JOB=$(": "store.verify\n[]\n",
    "again() {": "False\nTrue\n",
}
"""How a block begins → what it prints, somewhere."""


@pytest.mark.django_db(transaction=True)
def test_the_guide_works_as_printed():
    run_as_printed(GUIDE, ANSWERS)


def test_the_guide_tells_of_every_error_of_these_routes():
    told = set(re.findall(r"^\| `([a-z_]+\.[a-z_]+)` \| \d+ \|", GUIDE.read_text(), re.MULTILINE))

    assert told == {error.type for error in CATALOGUE}
