"""The five minutes of the README, run as they are printed."""

from pathlib import Path

import pytest

from console.demo.loading import load_demo
from memory.access import open_store
from proposals.actions.respond import Answer, respond
from proposals.models import Proposal, ProposalResponse, ProposalStatus
from tenancy.authentication import caller_of_person
from tenancy.models import Principal, Workspace
from tests.browser.serving import served
from tests.docs.shell import Shell, blocks

README = Path(__file__).parents[2] / "README.md"


def approve(workspace: Workspace, proposal_id: str) -> None:
    """Do what the README asks the reader to do in the Console as `reviewer`."""
    reviewer = Principal.objects.select_related("workspace").get(
        workspace=workspace, user__username="reviewer"
    )
    proposal = Proposal.objects.get(id=proposal_id)
    access = open_store(caller_of_person(reviewer), proposal.store_id)
    answered = respond(
        access=access, proposal_id=proposal_id, answer=Answer(ProposalResponse.APPROVE)
    )
    assert answered.status == ProposalStatus.APPROVED


@pytest.mark.django_db(transaction=True)
def test_the_tour_works_as_printed(tmp_path, settings):
    settings.STATE_DIR = tmp_path
    workspace, credentials = load_demo()
    _, look, propose, compare = blocks(README)
    with (
        served() as address,
        Shell({"CHECKFU_URL": address, "CHECKFU_KEY": credentials.secret}) as shell,
    ):
        before = shell.run(look)
        assert "team-memory" in before
        link = shell.run(propose).strip()
        assert link.startswith(f"{address}/proposals/mprop_")
        approve(workspace, link.rpartition("/")[2])
        after = shell.run(compare)
    approved = "# Code review\n\nA review takes less than a day, or says when it will.\n"
    assert after.startswith(approved), after
    first_document = before[before.index("# ") :]
    assert first_document.rstrip() in after, "the exact version reads what it always did"
    assert '"modified"' in after
