"""Contract P1: what a Proposal freezes, from what, and by whom it is opened."""

import pytest
from django.db import IntegrityError, connection, transaction

from memory.actions.change_sets import ChangeSet, apply_change_set
from memory.models import MemoryVersion, Ref, RefKind, RefMove
from memory.queries.diffs import diff_digest, tree_diff
from memory.refs import RefName
from proposals.actions.create import NewProposal, create_proposal
from proposals.models import Proposal, ProposalStatus
from proposals.opening import Words
from tenancy.models import AuditEntry, PermissionAssignment, Principal
from tests.client import random_id
from tests.factories import grant
from tests.proposals.scenario import Scenario, key, make_scenario, operations, texts_at
from wire.errors import Conflict, Malformed, NotFound, PolicyDenied, ReadOnly
from wire.times import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def scenario() -> Scenario:
    return make_scenario()


def head_of(scenario: Scenario, proposal_id: str) -> str:
    return Proposal.objects.get(id=proposal_id).head_id


def propose_head(scenario: Scenario, head: str, base: str | None = None) -> str:
    new = NewProposal(Words("From a head"), head, base)
    return create_proposal(access=scenario.access(), proposal=new).proposal_id


def test_inline_operations_seal_a_head_of_kind_proposal(scenario):
    canonical = scenario.canonical

    proposal = Proposal.objects.get(id=scenario.propose({"/a.md": "one\n", "/b.md": "two\n"}))

    head = MemoryVersion.objects.get(id=proposal.head_id)
    assert (head.kind, head.parent_id) == ("proposal", canonical)
    assert (head.actor_kind, head.actor_uuid.hex) == ("principal", scenario.author.id[5:])
    assert texts_at(head.id) == {"/a.md": "one\n", "/b.md": "two\n"}
    assert proposal.base_id == canonical == scenario.canonical


def test_it_freezes_the_hash_and_size_of_the_difference(scenario):
    scenario.advance({"/a.md": "one\ntwo\n", "/old.md": "same\n"})

    opened = scenario.propose({"/a.md": "one\n2\n", "/old.md": None, "/new.md": "same\n"})

    proposal = Proposal.objects.get(id=opened)
    changes = tree_diff(proposal.base_id, proposal.head_id)
    assert bytes(proposal.diff_hash) == diff_digest(changes)
    assert proposal.changed_path_count == 3, "a rename alters two paths"
    assert (proposal.added_lines, proposal.removed_lines) == (1, 1)
    assert len(proposal.document_versions) == 4, "two sides of /a.md, one of each other path"


def test_an_existing_version_can_be_the_head(scenario):
    scenario.change(canonical_writes="direct")
    base = scenario.canonical
    first = head_of(scenario, scenario.propose({"/a.md": "one\n"}))

    proposal = Proposal.objects.get(id=propose_head(scenario, first))

    assert (proposal.base_id, proposal.head_id) == (base, first)


def test_a_head_may_stand_several_versions_above_its_base(scenario):
    scenario.change(canonical_writes="direct")
    base = scenario.canonical
    scenario.write({"/a.md": "one\n"})
    head = scenario.write({"/b.md": "two\n"})

    proposal = Proposal.objects.get(id=propose_head(scenario, head, base))

    assert proposal.changed_path_count == 2


def test_the_base_must_be_an_ancestor_of_the_head(scenario):
    first = head_of(scenario, scenario.propose({"/a.md": "one\n"}))
    second = head_of(scenario, scenario.propose({"/b.md": "two\n"}))

    with pytest.raises(Malformed, match="not an ancestor"):
        propose_head(scenario, second, base=first)


def test_a_stale_base_is_admitted_and_flagged_at_birth(scenario):
    base = scenario.canonical
    scenario.advance({"/a.md": "one\n"})

    view = scenario.view(scenario.propose({"/b.md": "two\n"}, base=base))

    assert view.is_stale
    assert view.proposal.base_id == base
    assert not view.can_approve


def test_operations_expect_what_the_base_holds(scenario):
    base = scenario.canonical
    scenario.advance({"/a.md": "one\n"})
    stale = operations(base, {"/a.md": "two\n"})

    new = NewProposal(Words("Expects nothing"), stale)
    with pytest.raises(Conflict, match=r"/a\.md"):
        create_proposal(access=scenario.access(), proposal=new)


def test_equal_trees_are_refused_inline(scenario):
    scenario.advance({"/a.md": "one\n"})

    with pytest.raises(Malformed, match="empty"):
        scenario.propose({"/a.md": "one\n"})


def test_equal_trees_are_refused_between_versions(scenario):
    scenario.change(canonical_writes="direct")
    base = scenario.write({"/a.md": "one\n"})
    scenario.write({"/a.md": "two\n"})
    back = scenario.write({"/a.md": "one\n"})

    with pytest.raises(Malformed, match="empty"):
        propose_head(scenario, back, base)
    with pytest.raises(Malformed, match="empty"):
        propose_head(scenario, base, base)


def test_a_refused_proposal_leaves_nothing(scenario):
    before = MemoryVersion.objects.count()

    with pytest.raises(Conflict):
        scenario.propose({"/a": "one\n", "/a/b": "two\n"})

    assert not Proposal.objects.exists()
    assert MemoryVersion.objects.count() == before


@pytest.mark.parametrize("side", ["base", "head"])
def test_versions_of_another_store_do_not_exist_here(scenario, side):
    other = make_scenario()
    foreign = other.canonical
    own = head_of(scenario, scenario.propose({"/a.md": "one\n"}))

    with pytest.raises(NotFound):
        propose_head(scenario, *((own, foreign) if side == "base" else (foreign,)))
    with pytest.raises(NotFound):
        propose_head(scenario, random_id("version"))


@pytest.mark.parametrize("permissions", [["read"], ["read", "review"], ["read", "admin"]])
def test_it_needs_read_and_write(scenario, permissions):
    with pytest.raises(PolicyDenied, match="`write`"):
        scenario.propose({"/a.md": "one\n"}, by=scenario.person("Carol", *permissions))


def test_write_without_read_is_not_enough(scenario):
    admin = scenario.person("Dora", "write")
    Principal.objects.filter(id=admin.id).update(is_admin=True)

    with pytest.raises(PolicyDenied, match="`read`"):
        scenario.propose({"/a.md": "one\n"}, by=admin)


def test_a_grant_on_the_workspace_counts(scenario):
    writer = scenario.person("Carol")
    grant(writer, scenario.workspace, "read", "write")

    assert scenario.propose({"/a.md": "one\n"}, by=writer)


def test_an_archived_store_takes_none(scenario):
    scenario.archive()

    with pytest.raises(ReadOnly):
        scenario.propose({"/a.md": "one\n"})


def test_its_ref_lives_while_it_is_open(scenario):
    opened = scenario.propose({"/a.md": "one\n"})
    refs = Ref.objects.filter(store=scenario.store_id, kind=RefKind.PROPOSAL)

    assert [ref.owner_id for ref in refs] == [opened]
    assert refs[0].version_id == head_of(scenario, opened)

    scenario.reject(opened)

    assert not refs.all().exists()
    moves = RefMove.objects.filter(kind=RefKind.PROPOSAL).order_by("id")
    head = head_of(scenario, opened)
    assert [(move.before_id, move.after_id) for move in moves] == [(None, head), (head, None)]


@pytest.mark.parametrize("response", ["approve", "reject"])
def test_either_response_releases_the_ref(scenario, response):
    opened = scenario.propose({"/a.md": "one\n"})

    scenario.respond(opened, response)

    assert not Ref.objects.filter(kind=RefKind.PROPOSAL).exists()


def test_a_change_set_on_its_ref_is_a_conflict(scenario):
    """Contract M4."""
    opened = scenario.propose({"/a.md": "one\n"})
    name = RefName(RefKind.PROPOSAL, opened)
    head = head_of(scenario, opened)
    change_set = ChangeSet(name, head, operations(head, {"/b.md": "two\n"}))

    with pytest.raises(Conflict, match="frozen"):
        apply_change_set(access=scenario.access(), change_set=change_set)


def test_a_key_opens_one_and_is_its_author(scenario):
    author = scenario.key("read", "write")

    proposal = Proposal.objects.get(id=scenario.propose({"/a.md": "one\n"}, by=author))

    assert (proposal.author_kind, proposal.author_uuid.hex) == ("api_key", author.id[5:])
    assert proposal.author_principal_uuid is None


def test_creation_counts_as_a_structural_change_and_is_audited(scenario):
    generation = scenario.store.generation

    opened = scenario.propose({"/a.md": "one\n"})

    assert scenario.store.generation == generation + 1
    entry = AuditEntry.objects.get(event="proposal.created")
    assert (entry.target_id, entry.actor_id) == (opened, scenario.author.id)
    assert "/a.md" not in str(entry.detail)


def test_a_key_sent_twice_opens_one(scenario):
    first = scenario.propose({"/a.md": "one\n"}, key=key("same"))

    again = create_proposal(
        access=scenario.access(),
        proposal=NewProposal(Words("A change"), operations(scenario.canonical, {"/a.md": "one\n"})),
        key=key("same"),
    )

    assert (again.proposal_id, again.replayed) == (first, True)
    assert Proposal.objects.count() == 1
    with pytest.raises(Conflict, match="Idempotency-Key"):
        scenario.propose({"/a.md": "two\n"}, key=key("same", "another body"))


def test_a_refused_request_leaves_no_receipt(scenario):
    with pytest.raises(Malformed):
        scenario.propose({"/none.md": None}, key=key("again"))

    assert scenario.propose({"/a.md": "one\n"}, key=key("again"))


def test_a_replay_needs_the_grant_now(scenario):
    scenario.propose({"/a.md": "one\n"}, key=key("same"))
    PermissionAssignment.objects.filter(permissions=["read", "write"]).update(permissions=["read"])

    with pytest.raises(PolicyDenied):
        scenario.propose({"/a.md": "one\n"}, key=key("same"))


class TestDatabase:
    """What no code of ours can do: the database refuses it."""

    def insert(self, scenario: Scenario, **columns: object) -> Proposal:
        """Insert a Proposal behind the back of all rules."""
        moment = now()
        values = {
            "store_id": scenario.store_id,
            "title": "Forged",
            "diff_hash": b"\0" * 32,
            "document_versions": [],
            "changed_path_count": 1,
            "added_lines": 0,
            "removed_lines": 0,
            "text_safety": {},
            "author_kind": "principal",
            "author_uuid": scenario.author.id,
            "created_at": moment,
            "updated_at": moment,
        }
        with transaction.atomic():
            proposal = Proposal.objects.create(**(values | columns))
            connection.check_constraints()
        return proposal

    def test_base_is_not_head(self, scenario):
        same = scenario.canonical

        with pytest.raises(IntegrityError):
            self.insert(scenario, base_id=same, head_id=same)

    def test_base_and_head_hold_different_trees(self, scenario):
        scenario.change(canonical_writes="direct")
        base = scenario.write({"/a.md": "one\n"})
        scenario.write({"/a.md": "two\n"})
        head = scenario.write({"/a.md": "one\n"})

        with pytest.raises(IntegrityError, match="two different trees"):
            self.insert(scenario, base_id=base, head_id=head)

    def test_base_and_head_are_of_its_store(self, scenario):
        other = make_scenario()
        foreign = head_of(other, other.propose({"/a.md": "one\n"}))
        base = scenario.canonical

        with pytest.raises(IntegrityError, match="of its own store"):
            self.insert(scenario, base_id=base, head_id=foreign)
        with pytest.raises(IntegrityError, match="of its own store"):
            self.insert(scenario, base_id=other.canonical, head_id=foreign)

    def test_an_author_is_an_actor_of_a_known_form(self, scenario):
        head = head_of(scenario, scenario.propose({"/a.md": "one\n"}))
        ends = {"base_id": scenario.canonical, "head_id": head}

        with pytest.raises(IntegrityError, match="author_known"):
            self.insert(scenario, **ends, author_kind="nobody")
        with pytest.raises(IntegrityError, match="author_known"):
            self.insert(scenario, **ends, author_uuid=None)
        with pytest.raises(IntegrityError, match="author_known"):
            self.insert(scenario, **ends, author_kind="session_agent")
        assert self.insert(scenario, **ends).id

    @pytest.mark.parametrize(
        ("column", "value"),
        [
            ("base_id", "other"),
            ("head_id", "other"),
            ("store_id", "elsewhere"),
            ("diff_hash", b"\1" * 32),
            ("document_versions", []),
            ("changed_path_count", 7),
            ("added_lines", 7),
            ("author_kind", "api_key"),
            ("author_uuid", "prin_" + "1" * 32),
            ("author_principal_uuid", "prin_" + "1" * 32),
            ("earlier_authors", ["1" * 32]),
            ("created_at", "2026-01-01T00:00:00Z"),
        ],
    )
    def test_what_it_froze_never_changes(self, scenario, column, value):
        opened = scenario.propose({"/a.md": "one\n"})
        if value == "other":
            value = head_of(scenario, scenario.propose({"/b.md": "two\n"}))
        if value == "elsewhere":
            value = make_scenario().store_id

        with pytest.raises(IntegrityError, match="a proposal is frozen"), transaction.atomic():
            Proposal.objects.filter(id=opened).update(**{column: value})

    def test_it_is_resolved_once(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.reject(opened, note="Not like this.")
        rows = Proposal.objects.filter(id=opened)

        for changes in (
            {"status": "approved", "response": "approve"},
            {
                "status": "open",
                "response": None,
                "resolved_by_kind": None,
                "resolved_by_uuid": None,
                "resolved_at": None,
                "resolution_note": None,
            },
            {"resolved_by_uuid": scenario.author.id},
            {"resolved_at": now()},
        ):
            with pytest.raises(IntegrityError, match="resolved once"), transaction.atomic():
                rows.update(**changes)

    @pytest.mark.parametrize(
        "changes",
        [
            {"status": "approved"},
            {"status": "closed"},
            {"resolved_at": now()},
            {"status": "superseded", "response": "reject"},
            {"response": "approve"},
        ],
    )
    def test_it_is_resolved_in_a_known_way(self, scenario, changes):
        opened = scenario.propose({"/a.md": "one\n"})

        with pytest.raises(IntegrityError, match="known_way"), transaction.atomic():
            Proposal.objects.filter(id=opened).update(**changes)

    def test_its_words_are_not_rewritten_only_blanked(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"}, title="As it was read")
        scenario.reject(opened, note="As it was said")
        rows = Proposal.objects.filter(id=opened)

        for column in ("title", "resolution_note", "description"):
            with pytest.raises(IntegrityError, match="not rewritten"), transaction.atomic():
                rows.update(**{column: "Something else"})
        rows.update(title="", resolution_note=None, words_erased_at=now())

    def test_a_note_is_not_added_to_a_resolution(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})
        scenario.reject(opened)

        with pytest.raises(IntegrityError, match="not rewritten"), transaction.atomic():
            Proposal.objects.filter(id=opened).update(resolution_note="Afterwards")

    def test_it_is_not_deleted(self, scenario):
        opened = scenario.propose({"/a.md": "one\n"})

        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            Proposal.objects.filter(id=opened)._raw_delete("default")


def test_reading_needs_read_only(scenario):
    opened = scenario.propose({"/a.md": "one\n"})
    reader = scenario.person("Carol", "read")

    view = scenario.view(opened, by=reader)

    assert view.proposal.status == ProposalStatus.OPEN
    assert not view.can_approve
