"""What a newcomer sees first: the stores of the demo, their documents and Proposals."""

import re
from collections import Counter

import pytest

from memory.access import open_store
from memory.models import (
    CanonicalWrites,
    DocumentBody,
    ErasureReport,
    MemoryStore,
    MemoryVersion,
    OwnerKind,
)
from memory.queries.documents import list_documents
from memory.queries.versions import canonical_id
from memory.versions.ancestry import is_ancestor
from proposals.models import Proposal, SupersededBecause
from sessions.models import Session
from tenancy.models import Agent, Permission, Principal
from tests.demo.conftest import Load
from tests.demo.told import state_of
from tests.factories import caller_for
from wire.ids import uuid_from_id

pytestmark = pytest.mark.usefixtures("loaded")


@pytest.fixture
def loaded(load: Load) -> None:
    load()


def store(name: str) -> MemoryStore:
    return MemoryStore.objects.get(name=name)


def person(username: str) -> Principal:
    return Principal.objects.get(user__username=username)


def tree(version_id: str) -> dict[str, str]:
    """The texts of a version by path."""
    listed = list_documents(version_id, limit=100)
    bodies = DocumentBody.objects.in_bulk(document.document_id for document in listed)
    return {document.path: bodies[document.document_id].text for document in listed}


def test_proposals_in_every_state():
    proposals = Proposal.objects.filter(store=store("team-memory"))
    assert Counter(map(state_of, proposals)) == {
        "open": 4,
        "stale": 1,
        "approved": 4,
        "rejected": 1,
        "superseded": 1,
    }
    rejected = proposals.get(status="rejected")
    assert rejected.resolution_note
    superseded = proposals.get(status="superseded")
    assert superseded.superseded_because == SupersededBecause.CANONICAL_MOVED
    assert superseded.replaced_by.status == "approved"
    assert {proposal.author_kind for proposal in proposals} == {
        "principal",
        "api_key",
        "session_agent",
    }


def test_a_proposal_with_everything_in_it():
    proposal = Proposal.objects.get(title__startswith="Give the runbooks a front page")
    before, after = tree(proposal.base_id), tree(proposal.head_id)
    assert after.keys() - before.keys() == {
        "/runbooks/README.md",
        "/runbooks/database-disk-full.md",
    }
    assert before.keys() - after.keys() == {"/runbooks/disk-full.md", "/runbooks/which-runbook.md"}
    assert after["/runbooks/database-disk-full.md"] == before["/runbooks/disk-full.md"]
    assert after["/README.md"] != before["/README.md"]


def test_the_team_memory_has_a_history_under_review():
    memory = store("team-memory")
    canonical = canonical_id(memory.id)
    versions = MemoryVersion.objects.filter(store=memory)
    kinds = Counter(one.kind for one in versions if is_ancestor(one.id, canonical))
    assert kinds == {"initial": 1, "direct": 9, "redaction": 1, "proposal": 4}
    assert memory.canonical_writes == CanonicalWrites.REVIEW
    assert 12 <= len(tree(canonical)) <= 20


def test_a_document_that_was_erased():
    memory = store("team-memory")
    assert [fence.path for fence in memory.path_fences.all()] == ["/on-call/phone-numbers.md"]
    assert not DocumentBody.objects.filter(text__contains="Private numbers").exists()
    assert ErasureReport.objects.get().operation == ErasureReport.Operation.REDACTION


def test_the_projects_own_docs():
    docs = store("project-docs")
    canonical = canonical_id(docs.id)
    assert tree(canonical) == {"/glossary.md": "# Glossary\n\nWords.\n"}
    kinds = MemoryVersion.objects.filter(store=docs).values_list("kind", flat=True)
    assert sorted(kinds) == ["import", "import", "proposal"]
    proposal = Proposal.objects.get(store=docs)
    assert state_of(proposal) == "open"
    assert tree(proposal.head_id).keys() == {"/glossary.md", "/reading-order.md"}


def test_the_assistants_own_notes():
    notes = store("assistant-notes")
    assert (notes.owner_kind, notes.canonical_writes) == (OwnerKind.PRINCIPAL, None)
    kinds = MemoryVersion.objects.filter(store=notes).values_list("kind", flat=True)
    assert Counter(kinds) == {"initial": 1, "direct": 3}


@pytest.mark.parametrize(
    ("username", "held"),
    [
        ("reviewer", {"project-docs": "read review", "team-memory": "read review write"}),
        ("author", {"project-docs": "read write", "team-memory": "read write"}),
        ("admin", {"project-docs": "", "team-memory": "read admin", "assistant-notes": ""}),
    ],
)
def test_who_may_do_what(username, held):
    caller = caller_for(person(username))
    for name, permissions in held.items():
        assert open_store(caller, store(name).id).permissions == set(permissions.split())


def test_an_agent_to_work_with():
    agent = Agent.objects.get()
    grants = agent.workspace.assignments.filter(subject_kind="agent")
    held = [Permission.READ, Permission.WRITE]
    assert [grant.permissions for grant in grants] == [held, held]


def test_sessions_that_ended_read_an_exact_version_call_and_work():
    ended, reader, calling, worker = Session.objects.order_by("id")
    assert {one.principal for one in Session.objects.all()} == {person("author")}
    assert (ended.state, worker.state) == ("archived", "active")
    assert reader.mounts.get().selection_id == canonical_id(store("team-memory").id)
    assert [
        (one.state, hasattr(one, "call")) for one in calling.inputs.get().rounds.order_by("id")
    ] == [("finished", True), ("entered", False)]
    assert written(calling) == {"/questions/changed-address.md"}
    mounts = worker.mounts.order_by("position").values_list("requested", "effective", "reasons")
    assert list(mounts) == [
        ("read_write", "read_write", []),
        ("read_write", "read_only", ["shared_owner"]),
    ]
    assert written(worker) == {"/questions/gift-cards.md"}
    assert [run.state for run in worker.runs.order_by("id")] == ["settled", "running"]
    assert Proposal.objects.get(author_kind="session_agent").author_uuid == uuid_from_id(worker.id)


def written(session: Session) -> set[str]:
    """What a Session's one checkpoint added."""
    checkpoint = session.checkpoints.get()
    return tree(checkpoint.version_id).keys() - tree(checkpoint.base_id).keys()


def test_links_lead_somewhere():
    """In canonical and in what waits for a decision; a link names a document of the same tree."""
    heads = Proposal.objects.filter(status="open").exclude(store__name="project-docs")
    stores = MemoryStore.objects.exclude(name="project-docs")
    versions = [canonical_id(one.id) for one in stores] + [head.head_id for head in heads]
    for version_id in versions:
        texts = tree(version_id)
        for path, text in texts.items():
            for target in re.findall(r"\]\((/[^)#]+)", text):
                assert target in texts, (path, target)


def test_texts_read_well():
    """Lines that fit a screen, one title, an end of line at the end."""
    for name in ("team-memory", "assistant-notes", "desk-notes"):
        for path, text in tree(canonical_id(store(name).id)).items():
            assert text.startswith("# "), path
            assert text.endswith("\n"), path
            assert not text.endswith("\n\n"), path
            prose = [line for line in text.split("\n") if not line.startswith("|")]
            assert max(map(len, prose)) <= 101, path
