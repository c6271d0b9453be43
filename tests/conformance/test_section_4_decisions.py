"""Contract P2, P5 and C3: how a Proposal is decided, in which precedence, and what moves."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import transaction

from memory.access import StoreAccess
from memory.actions.change_sets import ChangeSet, apply_change_set
from memory.models import BodyErasure, CanonicalWrites, DocumentBody, RefMove
from memory.refs import CANONICAL
from memory.stores import bump_generation
from memory.versions.sealing import Put
from proposals.actions.create import NewProposal, create_proposal
from proposals.actions.respond import Seen
from proposals.models import Proposal, ProposalAttempt
from proposals.opening import Words
from tenancy.actions.permissions import revoke
from tenancy.models import AuditEntry, PermissionAssignment
from tests.client import random_id
from tests.factories import platform
from tests.proposals.scenario import Scenario, key, make_scenario, operations, texts_at
from wire.errors import Conflict, NotFound, PolicyDenied, ReadOnly
from wire.ids import id_from_uuid
from wire.times import now

pytestmark = pytest.mark.django_db

BUMP = "proposals.actions.respond.bump_generation"


@pytest.fixture
def scenario() -> Scenario:
    return make_scenario()


def frozen(proposal_id: str) -> Seen:
    """What a reviewer sees who sees it as it is."""
    proposal = Proposal.objects.get(id=proposal_id)
    return Seen(proposal.base_id, proposal.head_id, bytes(proposal.diff_hash))


def attempts(proposal_id: str) -> list[tuple[str, str]]:
    rows = ProposalAttempt.objects.filter(proposal=proposal_id).order_by("id")
    return list(rows.values_list("response", "refusal"))


def test_an_approval_moves_canonical_to_exactly_the_reviewed_head(scenario):
    opened = scenario.propose({"/a.md": "one\n"})
    seen = frozen(opened)

    done = scenario.approve(opened, seen=seen, note="Good.")

    proposal = Proposal.objects.get(id=opened)
    assert (done.status, proposal.status, proposal.response) == ("approved", "approved", "approve")
    assert scenario.canonical == seen.head_version == proposal.head_id
    assert texts_at(scenario.canonical) == {"/a.md": "one\n"}
    assert proposal.resolution_note == "Good."
    assert proposal.resolved_by_uuid.hex == scenario.reviewer.id[5:]
    move = RefMove.objects.filter(kind="canonical").latest("id")
    assert (move.before_id, move.after_id) == (proposal.base_id, proposal.head_id)


def test_a_rejection_moves_nothing(scenario):
    canonical = scenario.canonical
    opened = scenario.propose({"/a.md": "one\n"})

    done = scenario.reject(opened, note="Not so.")

    assert (done.status, scenario.status(opened)) == ("rejected", "rejected")
    assert scenario.canonical == canonical


def test_canonical_of_a_review_store_moves_by_an_approval_only(scenario):
    """Contract C3."""
    writes = operations(scenario.canonical, {"/a.md": "one\n"})

    change_set = ChangeSet(CANONICAL, scenario.canonical, writes)
    with pytest.raises(ReadOnly):
        apply_change_set(access=scenario.access(), change_set=change_set)

    scenario.approve(scenario.propose({"/a.md": "one\n"}))
    assert texts_at(scenario.canonical) == {"/a.md": "one\n"}


def test_an_approval_becomes_superseded_when_canonical_moved(scenario):
    opened = scenario.propose({"/a.md": "one\n"})
    moved = scenario.advance({"/b.md": "two\n"})

    done = scenario.approve(opened, seen=frozen(opened))

    proposal = Proposal.objects.get(id=opened)
    assert (done.status, proposal.status) == ("superseded", "superseded")
    assert (proposal.response, proposal.superseded_because) == ("approve", "canonical_moved")
    assert scenario.canonical == moved
    assert attempts(opened) == [], "it was carried out, not refused"


def test_an_unrelated_direct_write_supersedes_too():
    scenario = make_scenario(canonical_writes=CanonicalWrites.DIRECT)
    opened = scenario.propose({"/a.md": "one\n"})
    moved = scenario.write({"/unrelated.md": "x\n"})

    assert scenario.approve(opened).status == "superseded"
    assert scenario.canonical == moved


def test_a_rejection_stays_possible_when_canonical_moved(scenario):
    opened = scenario.propose({"/a.md": "one\n"})
    scenario.advance({"/b.md": "two\n"})

    assert scenario.reject(opened).status == "rejected"


@pytest.mark.parametrize(("first", "other"), [("approve", "reject"), ("reject", "approve")])
def test_the_same_response_again_changes_nothing_another_is_a_conflict(scenario, first, other):
    opened = scenario.propose({"/a.md": "one\n"})
    status = scenario.respond(opened, first, note="First.").status
    canonical, generation = scenario.canonical, scenario.store.generation

    again = scenario.respond(opened, first, note="Second.")

    assert again.status == status
    assert Proposal.objects.get(id=opened).resolution_note == "First."
    with pytest.raises(Conflict, match=f"already {status}"):
        scenario.respond(opened, other)
    assert (scenario.canonical, scenario.store.generation) == (canonical, generation)
    assert attempts(opened) == [(other, "open")]


def test_of_a_superseded_one_the_approval_is_the_same_response(scenario):
    opened = scenario.propose({"/a.md": "one\n"})
    scenario.advance({"/b.md": "two\n"})
    scenario.approve(opened)

    assert scenario.approve(opened).status == "superseded"
    with pytest.raises(Conflict, match="already superseded"):
        scenario.reject(opened)


def test_nobody_responded_to_a_reproposed_one(scenario):
    opened = scenario.propose({"/a.md": "one\n"})
    scenario.advance({"/b.md": "two\n"})
    scenario.repropose(opened)

    for response in ("approve", "reject"):
        with pytest.raises(Conflict, match="already superseded"):
            scenario.respond(opened, response)


@pytest.mark.parametrize("response", ["approve", "reject"])
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("base_version", "memver_" + "1" * 32),
        ("head_version", "memver_" + "1" * 32),
        ("diff_hash", b"\0" * 32),
    ],
)
def test_an_echo_that_differs_is_a_conflict(scenario, response, field, value):
    opened = scenario.propose({"/a.md": "one\n"})
    canonical = scenario.canonical

    with pytest.raises(Conflict, match=field):
        scenario.respond(opened, response, seen=Seen(**{field: value}))

    assert (scenario.status(opened), scenario.canonical) == ("open", canonical)
    assert attempts(opened) == [(response, "seen_as_is")]


@pytest.mark.parametrize("field", ["base_version", "head_version", "diff_hash"])
def test_each_part_of_the_echo_may_be_left_out(scenario, field):
    opened = scenario.propose({"/a.md": "one\n"})
    value = getattr(frozen(opened), field)

    assert scenario.approve(opened, seen=Seen(**{field: value})).status == "approved"


class TestPrecedence:
    """Each case breaks two things; the one that comes first is told."""

    WRONG = Seen(base_version=random_id("version"))

    def test_the_rules_come_before_a_resolution(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened)

        with pytest.raises(PolicyDenied):
            scenario.approve(opened, by=scenario.author)

    def test_a_resolution_comes_before_the_echo(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened)

        assert scenario.approve(opened, seen=self.WRONG).status == "approved"

    def test_the_echo_comes_before_staleness(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.advance({"/b.md": "two\n"})

        with pytest.raises(Conflict, match="base_version"):
            scenario.approve(opened, seen=self.WRONG)
        assert scenario.status(opened) == "open"

    def test_staleness_comes_before_erasure(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.advance({"/b.md": "two\n"})
        scenario.erase("/a.md")

        assert scenario.approve(opened).status == "superseded"

    def test_an_archived_store_comes_before_a_resolution(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened)
        scenario.archive()

        with pytest.raises(ReadOnly):
            scenario.approve(opened)

    def test_a_missing_grant_comes_before_an_archived_store(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.archive()

        with pytest.raises(PolicyDenied):
            scenario.approve(opened, by=scenario.person("Carol", "read"))


class TestErasedBodies:
    """Contract P5."""

    @pytest.mark.parametrize("reason", ["expired", "retired", "redacted", "imported"])
    def test_an_erased_head_is_a_conflict_that_says_why(self, scenario, reason):
        opened = scenario.propose({"/a.md": "one\n", "/b.md": "two\n"})
        scenario.erase("/a.md", reason)
        canonical = scenario.canonical

        with pytest.raises(Conflict, match=rf"/a\.md \({reason}\)") as refused:
            scenario.approve(opened, seen=frozen(opened))

        assert "/b.md" not in str(refused.value)
        assert (scenario.status(opened), scenario.canonical) == ("open", canonical)
        assert attempts(opened) == [("approve", "bodies_available")]

    @pytest.mark.parametrize("after", [None, "two\n"])
    def test_an_erased_base_is_one_too(self, scenario, after):
        scenario.advance({"/a.md": "one\n"})
        opened = scenario.propose({"/a.md": after})
        before = id_from_uuid("document", Proposal.objects.get(id=opened).document_versions[0])
        DocumentBody.objects.filter(document_version=before).delete()
        BodyErasure.objects.create(document_version_id=before, reason="retired", erased_at=now())

        with pytest.raises(Conflict, match="retired"):
            scenario.approve(opened)

    def test_an_expired_ceiling_counts_before_any_sweep(self, scenario, monkeypatch):
        soon = now() + timedelta(hours=1)
        [write] = operations(scenario.canonical, {"/a.md": "one\n"})
        write = replace(write, change=Put("one\n", expires_at=soon))
        opened = create_proposal(
            access=scenario.access(), proposal=NewProposal(Words("Brief"), (write,))
        ).proposal_id
        later = soon + timedelta(seconds=1)
        for module in ("proposals.queries.bodies", "memory.queries.documents"):
            monkeypatch.setattr(f"{module}.now", lambda: later)

        with pytest.raises(Conflict, match="expired"):
            scenario.approve(opened)

    def test_bodies_that_it_does_not_touch_do_not_matter(self, scenario):
        scenario.advance({"/kept.md": "one\n"})
        opened = scenario.propose({"/a.md": "two\n"})
        scenario.erase("/kept.md")

        assert scenario.approve(opened).status == "approved"

    def test_a_rejection_stays_possible(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.erase("/a.md")

        assert scenario.reject(opened).status == "rejected"


class TestAttempts:
    """A refused attempt leaves one row, written after the rollback."""

    def test_it_says_who_tried_what_and_why_not(self, scenario):
        opened = scenario.propose({"/secret-path.md": "one\n"})

        with pytest.raises(PolicyDenied):
            scenario.approve(opened, by=scenario.author)

        attempt = ProposalAttempt.objects.get()
        assert (attempt.proposal_id, attempt.store_id) == (opened, scenario.store_id)
        assert (attempt.response, attempt.refusal) == ("approve", "review_grant")
        assert attempt.error_type == "policy.denied"
        assert (attempt.actor_kind, attempt.actor_uuid.hex) == ("principal", scenario.author.id[5:])
        entry = AuditEntry.objects.get(event="proposal.response_refused")
        assert (entry.target_id, entry.detail["refusal"]) == (opened, "review_grant")

    def test_it_is_written_although_all_else_is_rolled_back(self, scenario, monkeypatch):
        """The store is archived between the decision and its end."""
        opened = scenario.propose({"/a.md": "one\n"})
        canonical = scenario.canonical

        def archived(_store_id: str) -> None:
            raise ReadOnly("The store is archived and takes no writes.")

        monkeypatch.setattr(BUMP, archived)
        with pytest.raises(ReadOnly):
            scenario.approve(opened)

        assert (scenario.status(opened), scenario.canonical) == ("open", canonical)
        assert attempts(opened) == [("approve", "store_active")]
        assert not AuditEntry.objects.filter(event="proposal.approved").exists()

    def test_settings_that_change_meanwhile_refuse(self, scenario, monkeypatch):
        opened = scenario.propose({"/a.md": "one\n"})

        def bump_after_a_change(store_id: str) -> None:
            type(scenario.store).objects.filter(id=store_id).update(version=99)
            bump_generation(store_id)

        monkeypatch.setattr(BUMP, bump_after_a_change)
        with pytest.raises(Conflict, match="settings changed"):
            scenario.approve(opened)

        assert scenario.status(opened) == "open"
        assert attempts(opened) == [("approve", "settings_unchanged")]

    def test_an_unknown_proposal_leaves_none(self, scenario):
        with pytest.raises(NotFound):
            scenario.approve(random_id("proposal"))
        other = make_scenario()
        with pytest.raises(NotFound):
            scenario.approve(other.propose({"/a.md": "one\n"}))

        assert not ProposalAttempt.objects.exists()

    def test_a_reused_key_leaves_none(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.reject(opened, key=key("same", "reject"))

        with pytest.raises(Conflict, match="Idempotency-Key"):
            scenario.reject(opened, key=key("same", "another"))
        assert attempts(opened) == []

    def test_the_database_keeps_it(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        with pytest.raises(PolicyDenied):
            scenario.approve(opened, by=scenario.author)

        for change in (
            ProposalAttempt.objects.all().delete,
            lambda: ProposalAttempt.objects.update(refusal="open"),
        ):
            with pytest.raises(Exception, match="append-only"), transaction.atomic():
                change()


class TestReplays:
    """Contract §0 "Idempotency-Key"."""

    def test_the_outcome_is_told_again(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        first = scenario.approve(opened, key=key("same"))
        canonical = scenario.advance({"/b.md": "two\n"})

        again = scenario.approve(opened, key=key("same"))

        assert (first.replayed, again.replayed) == (False, True)
        assert again.status == first.status == "approved"
        assert scenario.canonical == canonical

    def test_a_superseded_approval_is_an_outcome(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.advance({"/b.md": "two\n"})
        scenario.approve(opened, key=key("same"))

        again = scenario.approve(opened, key=key("same"))

        assert (again.status, again.replayed) == ("superseded", True)

    def test_a_refusal_is_none(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        with pytest.raises(Conflict):
            scenario.approve(opened, seen=Seen(diff_hash=b"\0" * 32), key=key("same"))

        assert scenario.approve(opened, key=key("same")).replayed is False

    def test_it_needs_the_grant_now(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.approve(opened, key=key("same"))
        review = PermissionAssignment.objects.get(permissions=["read", "review"])
        revoke(caller=platform(scenario.workspace), assignment_id=review.id)
        PermissionAssignment.objects.create(
            workspace=scenario.workspace,
            subject_kind="principal",
            subject_uuid=scenario.reviewer.id,
            target_kind="store",
            target_uuid=scenario.store_id,
            permissions=["read"],
            created_by_kind="platform",
        )

        with pytest.raises(PolicyDenied):
            scenario.approve(opened, key=key("same"))


class TestAuthorityOfTheMoment:
    """The grants that count are those at the decision, not those at the request's start."""

    def access_before(self, scenario: Scenario) -> StoreAccess:
        """A reviewer's access as it stood before their grants were taken back."""
        access = scenario.access(scenario.reviewer)
        for row in PermissionAssignment.objects.filter(subject_uuid=scenario.reviewer.id):
            revoke(caller=platform(scenario.workspace), assignment_id=row.id)
        return access

    def test_a_grant_taken_back_meanwhile_refuses(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        access = self.access_before(scenario)

        with pytest.raises(NotFound):
            scenario.approve(opened, access=access)
        assert scenario.status(opened) == "open"

    def test_so_does_a_store_archived_meanwhile(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        access = scenario.access(scenario.reviewer)
        scenario.archive()

        with pytest.raises(ReadOnly):
            scenario.approve(opened, access=access)

    def test_and_self_approval_denied_meanwhile(self, scenario):
        scenario.change(self_approval="allowed")
        both = scenario.person("Carol", "read", "write", "review")
        opened = scenario.propose({"/a.md": "one\n"}, by=both)
        access = scenario.access(both)
        scenario.change(self_approval="denied")

        with pytest.raises(PolicyDenied, match="author"):
            scenario.approve(opened, access=access)


def test_a_decision_is_audited_and_counts_as_structural(scenario):
    opened = scenario.propose({"/a.md": "one\n"})
    generation = scenario.store.generation

    scenario.approve(opened, note="A private word")

    assert scenario.store.generation == generation + 1
    entry = AuditEntry.objects.get(event="proposal.approved")
    assert (entry.target_id, entry.actor_id) == (opened, scenario.reviewer.id)
    assert "private" not in str(entry.detail)
