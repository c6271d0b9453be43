"""Deciding on several Proposals at once: each as it was seen, each with its own result."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.access import open_store
from memory.actions.stores import StoreChanges, change_store
from memory.queries.versions import canonical_id
from memory.trees.hashing import spell_hash
from proposals.models import Proposal, ProposalAttempt
from tenancy.actions.permissions import revoke
from tenancy.models import PermissionAssignment
from tests.browser.world import decide
from tests.console.conftest import Reader, Scene
from tests.factories import caller_for, grant, make_store, platform

pytestmark = pytest.mark.django_db


def another(scene: Scene, name: str = "other") -> Scene:
    """A second store with the same people."""
    store = make_store(scene.workspace, name)
    grant(scene.author, store, "read", "write")
    grant(scene.reviewer, store, "read", "review")
    return Scene(scene.workspace, store, scene.author, scene.reviewer, scene.admin)


def seen(proposal_id: str, response: str, **changed: str) -> dict[str, str]:
    """The fields of one decision on exactly what the page shows."""
    proposal = Proposal.objects.get(id=proposal_id)
    fields = {
        "base_version": proposal.base_id,
        "head_version": proposal.head_id,
        "diff_hash": spell_hash(proposal.diff_hash),
        "response": response,
        "note": "",
    }
    return {f"{proposal_id}-{name}": value for name, value in (fields | changed).items()}


def send(reader: Reader, *decisions: tuple[str, str], **more: dict[str, str]) -> str:
    """Send decisions; the page with the results."""
    sent: dict[str, Any] = {"proposal": [proposal for proposal, _ in decisions]}
    for proposal, response in decisions:
        sent |= seen(proposal, response, **more.get(proposal, {}))
    answer = reader.post("/decide", sent)
    assert answer.status_code == 200, answer.content
    return str(answer.content.decode())


def status(proposal: str) -> str:
    return Proposal.objects.get(id=proposal).status


class TestThePage:
    def test_it_shows_all_of_each(self, scene: Scene, reviewer: Reader) -> None:
        other = another(scene)
        one = scene.propose("One", {"/a.md": "alpha\n", "/b.md": "beta\n"})
        two = other.propose("Two", {"/a.md": "gamma\n"})
        page = reviewer.text("/decide", proposal=[one, two])
        for text in ("alpha", "beta", "gamma", "One", "Two"):
            assert text in page
        for proposal in (one, two):
            for name, value in seen(proposal, "").items():
                if value:
                    assert f'name="{name}" value="{value}"' in page
        assert [f'id="file-{n}"' in page for n in (1, 2, 3)] == [True] * 3

    def test_nothing_is_chosen_beforehand(self, scene: Scene, reviewer: Reader) -> None:
        one = scene.propose("One", {"/a.md": "1\n"})
        page = reviewer.text("/decide", proposal=[one])
        assert page.count(" checked") == 1
        assert f'name="{one}-response" value="" checked' in page

    def test_it_says_that_some_share_a_store(self, scene: Scene, reviewer: Reader) -> None:
        opened = [scene.propose(f"{n}", {"/a.md": f"{n}\n"}) for n in range(2)]
        assert "Some of these change the same store" in reviewer.text("/decide", proposal=opened)
        assert "change the same store" not in reviewer.text("/decide", proposal=opened[:1])

    def test_what_is_not_shown_whole_is_not_decided_here(
        self, scene: Scene, reviewer: Reader
    ) -> None:
        long = scene.propose("Long", {"/a.md": "".join(f"{n}\n" for n in range(2_000))})
        page = reviewer.text("/decide", proposal=[long])
        assert "This page does not show all of it." in page
        assert f"{long}-response" not in page
        assert "could not show all of it" in send(reviewer, (long, "approve"))
        assert status(long) == "open"

    def test_behind_the_lines_of_a_page_nothing_is_loaded(
        self, scene: Scene, reviewer: Reader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("console.proposals.deciding.PAGE_LINES", 1)
        opened = [scene.propose(f"{n}", {"/a.md": f"text {n}\n"}) for n in range(2)]
        page = reviewer.text("/decide", proposal=opened)
        assert "text 0" in page
        assert "text 1" not in page
        assert f"{opened[1]}-response" not in page

    def test_what_one_may_not_see_is_not_there(self, scene: Scene, admin: Reader) -> None:
        one = scene.propose("Unseen title", {"/a.md": "1\n"})
        page = admin.text("/decide", proposal=[one])
        assert "Unseen title" not in page
        assert "1 of the chosen Proposals is not there for you" in page

    def test_what_cannot_be_read_is_refused(self, scene: Scene, reviewer: Reader) -> None:
        assert reviewer.get("/decide", proposal=["x"]).status_code == 400
        many = [f"mprop_{n:032x}" for n in range(21)]
        assert reviewer.get("/decide", proposal=many).status_code == 400
        assert reviewer.get("/decide").status_code == 303
        one = scene.propose("One", {"/a.md": "1\n"})
        for name, wrong in (("response", "maybe"), ("diff_hash", "x"), ("base_version", "")):
            sent = {"proposal": [one], **seen(one, "approve"), f"{one}-{name}": wrong}
            assert reviewer.post("/decide", sent).status_code == 400
        assert status(one) == "open"

    def test_it_takes_a_fixed_number_of_queries_and_three_a_proposal(
        self, scene: Scene, reviewer: Reader
    ) -> None:
        opened = [scene.propose(f"{n}", {"/a.md": f"{n}\n"}) for n in range(6)]

        def count(number: int) -> int:
            with CaptureQueriesContext(connection) as queries:
                reviewer.text("/decide", proposal=opened[:number])
            return len(queries)

        count(1)
        two, four, six = count(2), count(4), count(6)
        assert six - four == four - two <= 2 * 5, (two, four, six)


class TestDecisions:
    def test_each_gets_its_own_result(self, scene: Scene, reviewer: Reader) -> None:
        other, third = another(scene), another(scene, "third")
        yes = scene.propose("Yes", {"/a.md": "1\n"})
        no = other.propose("No", {"/a.md": "1\n"})
        left = third.propose("Left", {"/a.md": "1\n"})
        page = send(reviewer, (yes, "approve"), (no, "reject"), (left, ""))
        assert "2 decisions, each with its own result. 1 left alone." in page
        assert [status(each) for each in (yes, no, left)] == ["approved", "rejected", "open"]
        assert canonical_id(scene.store) == Proposal.objects.get(id=yes).head_id

    def test_sent_twice_is_answered_alike(self, scene: Scene, reviewer: Reader) -> None:
        one = scene.propose("One", {"/a.md": "1\n"})
        first = send(reviewer, (one, "approve"))
        second = send(reviewer, (one, "approve"))
        for page in (first, second):
            assert "Canonical is exactly the reviewed head." in page
        assert not ProposalAttempt.objects.exists()

    def test_a_second_one_of_the_store_stays_open(self, scene: Scene, reviewer: Reader) -> None:
        first, second = (scene.propose(f"{n}", {f"/{n}.md": "1\n"}) for n in range(2))
        page = send(reviewer, (first, "approve"), (second, "approve"))
        assert "Left open: canonical is not at its base any more." in page
        assert (status(first), status(second)) == ("approved", "open")

    def test_a_stale_one_can_be_rejected(self, scene: Scene, reviewer: Reader) -> None:
        first, second = (scene.propose(f"{n}", {f"/{n}.md": "1\n"}) for n in range(2))
        send(reviewer, (first, "approve"), (second, "reject"))
        assert (status(first), status(second)) == ("approved", "rejected")

    def test_what_was_seen_otherwise_is_refused_alone(self, scene: Scene, reviewer: Reader) -> None:
        other = another(scene)
        wrong = scene.propose("Wrong", {"/a.md": "1\n"})
        right = other.propose("Right", {"/a.md": "1\n"})
        changed = {"diff_hash": "sha256:" + "0" * 64}
        page = send(reviewer, (wrong, "approve"), (right, "approve"), **{wrong: changed})
        assert "is not the one that was seen" in page
        assert (status(wrong), status(right)) == ("open", "approved")
        assert ProposalAttempt.objects.get().refusal == "seen_as_is"

    def test_what_may_not_be_decided_is_refused_alone(
        self, scene: Scene, author: Reader, reviewer: Reader
    ) -> None:
        mine = scene.propose("Mine", {"/a.md": "1\n"})
        assert "This needs a grant of" in send(author, (mine, "approve"))
        assert status(mine) == "open"
        decide(scene.reviewer, scene.store, mine, "reject")
        assert "already rejected" in send(reviewer, (mine, "approve"))

    def test_what_one_may_not_see_any_more_is_refused_alone(
        self, scene: Scene, reviewer: Reader
    ) -> None:
        other = another(scene)
        gone = other.propose("Unseen title", {"/a.md": "1\n"})
        here = scene.propose("Here", {"/a.md": "1\n"})
        held = PermissionAssignment.objects.get(
            subject_uuid=scene.reviewer.id, target_uuid=other.store
        )
        revoke(caller=platform(scene.workspace), assignment_id=held.id)
        page = send(reviewer, (gone, "approve"), (here, "approve"))
        assert "There is no such Proposal." in page
        assert "Unseen title" not in page
        assert (status(gone), status(here)) == ("open", "approved")

    def test_an_approval_that_is_not_enough_is_kept(self, scene: Scene, reviewer: Reader) -> None:
        grant(scene.reviewer, scene.store, "admin")
        access = open_store(caller_for(scene.reviewer), scene.store)
        change_store(
            access=access, version=access.store.version, changes=StoreChanges(minimum_approvals=2)
        )
        one = scene.propose("One", {"/a.md": "1\n"})
        assert "Your approval is kept" in reviewer.text("/decide", proposal=[one])
        assert "Your approval counts; more are needed." in send(reviewer, (one, "approve"))
        assert status(one) == "open"

    def test_nothing_chosen_decides_nothing(self, scene: Scene, reviewer: Reader) -> None:
        one = scene.propose("One", {"/a.md": "1\n"})
        assert "You left them all alone" in send(reviewer, (one, ""))
        assert status(one) == "open"
