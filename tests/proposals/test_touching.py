"""Which Proposals a redaction is about, however many there are (contract P5, X1)."""

from typing import Any

import pytest
from django.db import connection

from database.arrays import among_ids
from memory.access import open_store
from memory.actions.redactions import redact
from memory.models import CanonicalWrites
from proposals.models import Proposal
from tests.factories import platform
from tests.proposals.scenario import Scenario, make_scenario
from wire.ids import new_id

pytestmark = pytest.mark.django_db

PAST_THE_PROTOCOL = 70_000
"""More parameters than one statement may have."""


@pytest.fixture
def scenario() -> Scenario:
    scenario = make_scenario(canonical_writes=CanonicalWrites.DIRECT)
    scenario.write({"/a.md": "a\n"})
    return scenario


def test_identifiers_are_found_among_any_number(scenario: Scenario) -> None:
    one = scenario.propose({"/a.md": "b\n"})
    ids = [new_id("proposal") for _ in range(PAST_THE_PROTOCOL)]

    assert not Proposal.objects.filter(among_ids("id", ids)).exists()
    assert Proposal.objects.get(among_ids("id", [*ids, one])).id == one
    assert not Proposal.objects.filter(among_ids("id", [])).exists()


def test_a_redaction_names_proposals_by_one_parameter(scenario: Scenario) -> None:
    for number in range(30):
        scenario.propose({"/a.md": f"{number}\n"})
    most = 0

    def count(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal most
        if "proposals_proposal" in sql.partition("RETURNING")[0] and not sql.startswith("INSERT"):
            most = max(most, len(params or ()))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(count):
        redact(access=open_store(platform(scenario.workspace), scenario.store_id), paths=["/a.md"])

    assert set(Proposal.objects.values_list("title", flat=True)) == {""}
    assert 0 < most < 30
