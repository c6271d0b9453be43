"""Decisions on several Proposals, sent by two people at once."""

from typing import Any

import pytest

from memory.models import RefKind, RefMove
from memory.trees.hashing import spell_hash
from proposals.models import Proposal
from tests.browser.serving import PLAIN_FILES
from tests.console.conftest import Reader
from tests.proposals.scenario import Scenario, make_scenario
from tests.race import race

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def scenario(settings: Any) -> Scenario:
    settings.STORAGES = PLAIN_FILES
    return make_scenario()


def decisions(proposals: list[str], response: str) -> dict[str, Any]:
    sent: dict[str, Any] = {"proposal": proposals}
    for each in proposals:
        row = Proposal.objects.get(id=each)
        sent |= {
            f"{each}-response": response,
            f"{each}-base_version": row.base_id,
            f"{each}-head_version": row.head_id,
            f"{each}-diff_hash": spell_hash(row.diff_hash),
        }
    return sent


@pytest.mark.parametrize("nth", range(3))
def test_two_people_approve_the_same_ones(scenario: Scenario, nth: int) -> None:
    opened = [scenario.propose({f"/{n}.md": "1\n"}) for n in range(3)]
    carol = scenario.person("Carol", "read", "review")
    sent = decisions(opened, "approve")

    results = race(
        *(
            lambda who=who: Reader(refreshed(who)).post("/decide", sent)
            for who in (scenario.reviewer, carol)
        )
    )

    assert [answer.status_code for answer in results] == [200, 200], results  # type: ignore[union-attr]
    assert min(scenario.status(each) for each in opened) == "approved"
    assert [scenario.status(each) for each in opened].count("approved") == 1
    moves = RefMove.objects.filter(store=scenario.store_id, kind=RefKind.CANONICAL)
    assert moves.exclude(before=None).count() == 1


@pytest.mark.parametrize("nth", range(3))
def test_one_approves_what_another_rejects(scenario: Scenario, nth: int) -> None:
    opened = [scenario.propose({f"/{n}.md": "1\n"}) for n in range(3)]
    carol = scenario.person("Carol", "read", "review")

    results = race(
        lambda: Reader(refreshed(scenario.reviewer)).post("/decide", decisions(opened, "approve")),
        lambda: Reader(refreshed(carol)).post("/decide", decisions(opened[::-1], "reject")),
    )

    assert [answer.status_code for answer in results] == [200, 200], results  # type: ignore[union-attr]
    statuses = [scenario.status(each) for each in opened]
    assert set(statuses) <= {"approved", "rejected"}
    assert statuses.count("approved") <= 1


def refreshed(person: Any) -> Any:
    """The person with the sign-in that the scenario gave them."""
    person.refresh_from_db()
    return person
