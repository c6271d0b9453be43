"""Review rules in a store's settings, and several approvals on the review page."""

from typing import Any

import pytest

from memory.access import open_store
from memory.actions.stores import StoreChanges, change_store
from memory.models import MemoryStore
from memory.queries.versions import canonical_id
from memory.reviewrules import ReviewRule, rules_of
from memory.trees.hashing import spell_hash
from proposals.models import Proposal, ProposalApproval
from tenancy.actions.permissions import revoke
from tenancy.models import PermissionAssignment, Principal
from tests.console.conftest import Reader, Scene
from tests.factories import caller_for, grant, make_person, platform


@pytest.fixture
def keeper(scene: Scene) -> Reader:
    """Somebody who governs the store."""
    person = make_person(scene.workspace, "Gil Governor", username="gil")
    grant(person, scene.store, "read", "admin")
    return Reader(person)


@pytest.fixture
def second(scene: Scene) -> Principal:
    person = make_person(scene.workspace, "Sam Second", username="sam")
    grant(person, scene.store, "read", "review")
    return person


def store_of(scene: Scene) -> MemoryStore:
    return MemoryStore.objects.get(id=scene.store)


def govern(scene: Scene, **changes: Any) -> None:
    admin = make_person(scene.workspace, "Owner")
    grant(admin, scene.store, "read", "admin")
    change_store(
        access=open_store(caller_for(admin), scene.store),
        version=store_of(scene).version,
        changes=StoreChanges(**changes),
    )


def respond(reader: Reader, proposal: str, response: str = "approve", note: str = "") -> Any:
    row = Proposal.objects.get(id=proposal)
    return reader.post(
        f"/proposals/{proposal}/respond",
        {
            "response": response,
            "base_version": row.base_id,
            "head_version": row.head_id,
            "diff_hash": spell_hash(bytes(row.diff_hash)),
            "note": note,
        },
    )


class TestSettings:
    def send(self, scene: Scene, who: Reader, form: str, **values: Any) -> Any:
        version = store_of(scene).version
        return who.post(f"{scene.path}/settings", {"form": form, "version": version} | values)

    def test_the_minimum_is_set(self, scene: Scene, keeper: Reader) -> None:
        assert self.send(scene, keeper, "minimum", minimum_approvals=2).status_code == 303

        assert store_of(scene).minimum_approvals == 2
        page = keeper.text(f"{scene.path}/settings")
        assert "Only 1 person holds <code>review</code> here" in page

    def test_rules_are_added_in_order_and_removed(
        self, scene: Scene, keeper: Reader, second: Principal
    ) -> None:
        self.send(scene, keeper, "add-rule", paths="/guides/**", approvals=1, reviewers=second.id)
        self.send(scene, keeper, "add-rule", paths="/**/*.md", approvals=2)

        assert rules_of(store_of(scene)) == (
            ReviewRule("/guides/**", 1, (second.id,)),
            ReviewRule("/**/*.md", 2),
        )
        page = keeper.text(f"{scene.path}/settings")
        assert page.index("/guides/**</code>") < page.index("/**/*.md</code>")
        assert "by anybody who may review" in page

        assert self.send(scene, keeper, "remove-rule", place=0).status_code == 303
        assert [each["paths"] for each in store_of(scene).review_rules] == ["/**/*.md"]

    @pytest.mark.parametrize(
        ("wrong", "told"),
        [
            ({"paths": "guides/**"}, "The path must begin with /"),
            ({"paths": "/guides**"}, "Two stars stand alone"),
            ({"approvals": 11}, "less than or equal to 10"),
            ({"approvals": 2}, "More than those who are ticked"),
            ({"reviewers": "prin_" + "0" * 32}, "not one of the available choices"),
        ],
    )
    def test_what_is_wrong_is_told_at_its_field(
        self, scene: Scene, keeper: Reader, second: Principal, wrong: Any, told: str
    ) -> None:
        values = {"paths": "/guides/**", "approvals": 1, "reviewers": second.id} | wrong

        answer = self.send(scene, keeper, "add-rule", **values)

        assert answer.status_code == 422
        assert told in answer.content.decode()
        assert store_of(scene).review_rules == []

    def test_another_version_is_told(self, scene: Scene, keeper: Reader) -> None:
        answer = self.send(scene, keeper, "minimum", minimum_approvals=2, version=7)

        assert answer.status_code == 409
        assert "version is 1, not 7" in answer.content.decode()

    def test_only_admin_changes_them_and_only_readers_see_them(
        self, scene: Scene, author: Reader, admin: Reader
    ) -> None:
        govern(scene, review_rules=(ReviewRule("/secret-plans/**"),))

        assert "/secret-plans/**" in author.text(f"{scene.path}/settings")
        assert self.send(scene, author, "minimum", minimum_approvals=2).status_code == 403
        assert "secret-plans" not in admin.text(f"{scene.path}/settings")

    def test_a_rule_that_nobody_can_satisfy_is_marked(
        self, scene: Scene, keeper: Reader, author: Reader
    ) -> None:
        govern(scene, review_rules=(ReviewRule("/**", 1, (scene.author.id,)),))

        page = keeper.text(f"{scene.path}/settings")

        assert "Nobody can satisfy it" in page
        assert "(does not hold review)" in page

    def test_what_a_glob_matches_is_shown(self, scene: Scene, keeper: Reader) -> None:
        address = f"{scene.path}/settings/matches"

        page = keeper.text(address, paths="/guides/**")
        assert "Matches 1 of 2 documents of canonical now" in page
        assert "/guides/releases.md" in page
        assert "/notes.txt" not in page
        fragment = keeper.get(address, htmx=True, paths="/gui**").content.decode()
        assert "Not a pattern yet" in fragment
        assert "<html" not in fragment
        assert "Matches no document" in keeper.text(address, paths="/nowhere/*")


class TestReviewPage:
    @pytest.fixture
    def proposal(self, scene: Scene) -> str:
        govern(scene, minimum_approvals=2)
        return scene.propose("On Wednesdays", {"/guides/releases.md": "# On Wednesdays\n"})

    def test_two_people_approve(
        self, scene: Scene, proposal: str, reviewer: Reader, second: Principal
    ) -> None:
        before = reviewer.text(f"/proposals/{proposal}")
        assert "This store wants 2 approvals: none given yet." in before
        assert "Your approval is 1 of 2" in before

        assert respond(reviewer, proposal, note="I agree.").status_code == 303
        mine = reviewer.text(f"/proposals/{proposal}")
        assert "Your approval is kept" in mine
        assert "You approved it. It waits for others." in mine
        assert "Withdraw approval" in mine
        assert 'id="approve"' not in mine
        assert "I agree." in mine.split('id="timeline-head"')[1]

        other = Reader(second)
        theirs = other.text(f"/proposals/{proposal}")
        assert "Your approval is" not in theirs
        assert "becomes exactly" in theirs
        assert "Robin Reviewer" in theirs.split('id="rules-head"')[1].split("</details>")[0]
        respond(other, proposal)
        assert canonical_id(scene.store) == Proposal.objects.get(id=proposal).head_id

    def test_an_approval_is_withdrawn(
        self, scene: Scene, proposal: str, reviewer: Reader, author: Reader
    ) -> None:
        respond(reviewer, proposal)

        assert author.post(f"/proposals/{proposal}/withdraw").status_code == 404
        assert reviewer.post(f"/proposals/{proposal}/withdraw").status_code == 303

        assert ProposalApproval.objects.exclude(withdrawn_at=None).count() == 1
        page = reviewer.text(f"/proposals/{proposal}")
        assert "Your approval is 1 of 2" in page
        assert "withdrew their approval" in page

    def test_what_one_approved_leaves_ones_queue(
        self, scene: Scene, proposal: str, reviewer: Reader, second: Principal
    ) -> None:
        respond(reviewer, proposal)

        mine, theirs = reviewer.text("/"), Reader(second).text("/")

        assert "Nothing waits for you" in mine
        assert "On Wednesdays" in mine
        assert "1 approval" in theirs.split('id="waiting-head"')[1].split("</section>")[0]

    def test_a_page_that_is_open_learns_of_an_approval(
        self, scene: Scene, proposal: str, reviewer: Reader, second: Principal
    ) -> None:
        page = reviewer.text(f"/proposals/{proposal}")
        seen = page.split("?seen=")[1].split("&")[0]
        state = f"/proposals/{proposal}/state"
        assert reviewer.get(state, htmx=True, seen=seen, show="reviewed").status_code == 204

        respond(Reader(second), proposal)

        fragment = reviewer.get(state, htmx=True, seen=seen, show="reviewed").content.decode()
        assert 'id="rules-panel"' in fragment
        assert "Sam Second" in fragment
        assert "becomes exactly" in fragment

    def test_a_rule_for_paths_tells_whom_it_wants(
        self, scene: Scene, reviewer: Reader, second: Principal
    ) -> None:
        govern(scene, review_rules=(ReviewRule("/guides/**", 1, (second.id,)),))
        proposal = scene.propose("Named", {"/guides/releases.md": "# Named\n"})

        page = reviewer.text(f"/proposals/{proposal}")

        panel = page.split('id="rules-head"')[1].split("</details>")[0]
        assert "<code>/guides/**</code> needs 1 approval of the reviewers" in panel
        assert "Sam Second" in panel
        assert "still need 1 approval of the reviewers that the rule names" in page

    def test_an_approval_that_lost_its_grant_is_marked(
        self, scene: Scene, proposal: str, reviewer: Reader, second: Principal
    ) -> None:
        respond(Reader(second), proposal)
        held = PermissionAssignment.objects.get(subject_uuid=second.id)
        revoke(caller=platform(scene.workspace), assignment_id=held.id)

        assert "Does not count now" in reviewer.text(f"/proposals/{proposal}")
