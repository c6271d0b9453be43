"""Contract R5: what a Proposal shows is looked at again before it is sent."""

import pytest

from memory.models import CanonicalWrites, DocumentVersion
from tenancy.actions.permissions import revoke
from tenancy.models import PermissionAssignment
from tests.erasure import erase_bodies
from tests.factories import platform
from tests.interleaving import answer_after, without_transaction
from tests.proposals.scenario import make_scenario

pytestmark = pytest.mark.django_db(transaction=True)

ROUTES = ["diff", "drift", "trial", "conflicts"]


@pytest.fixture
def scenario():
    scenario = make_scenario(canonical_writes=CanonicalWrites.DIRECT)
    scenario.write({"/a.md": "one\n", "/b.md": "one\n"})
    return scenario


@pytest.fixture
def stale(scenario):
    """Changes /a.md, which canonical changed too, and /b.md."""
    opened = scenario.propose({"/a.md": "secret\n", "/b.md": "secret\n"})
    scenario.write({"/a.md": "secret as well\n"})
    return opened


def _after(scenario, stale, route, meanwhile):
    api = scenario.api(scenario.reviewer)
    return answer_after(
        lambda: api.get(
            scenario.path(stale, route), {"hunks": "true"} if route != "conflicts" else {}
        ),
        reading="memory_versiontree",
        meanwhile=meanwhile,
    )


@pytest.mark.parametrize("route", ROUTES)
def test_R5_an_erasure_that_wins_refuses_the_diffs_of_a_proposal(scenario, stale, route):
    documents = DocumentVersion.objects.filter(bytes__gt=4).values_list("id", flat=True)

    answer = _after(
        scenario, stale, route, lambda: erase_bodies(scenario.store_id, list(documents))
    )

    assert (answer.status, answer.error) == (409, "memory.conflict")
    assert b"secret" not in answer.content


@pytest.mark.parametrize("route", ROUTES)
def test_R5_a_grant_lost_meanwhile_refuses_them_too(scenario, stale, route):
    def revoke_grants():
        for each in PermissionAssignment.objects.filter(subject_uuid=scenario.reviewer.id):
            without_transaction(revoke)(caller=platform(scenario.workspace), assignment_id=each.id)

    answer = _after(scenario, stale, route, revoke_grants)

    assert (answer.status, answer.error) == (404, "memory.not_found")
