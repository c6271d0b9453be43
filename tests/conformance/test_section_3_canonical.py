"""Contract C1 and C3: how canonical moves. One gate, and a closed list that this module walks."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from memory import canonical, refs
from memory.access import open_store
from memory.actions.change_sets import Operation
from memory.actions.git_imports import import_store
from memory.actions.redactions import redact
from memory.actions.stores import Owner, StoreSettings
from memory.actors import IMPORTER
from memory.canonical import CanonicalMove, require_move
from memory.models import MemoryStore, OwnerKind, RefKind, RefMove
from memory.refs import RefName
from memory.versions.chains import NextVersion
from memory.versions.sealing import Note, Put
from proposals.actions.create import NewProposal, create_proposal
from proposals.actions.respond import Answer, Seen, respond
from proposals.models import ProposalResponse
from proposals.opening import Words
from tests.agents import checkpoint, make_scene, own_store
from tests.client import Api, random_id
from tests.factories import caller_for, grant, make_agent, make_key, make_person, platform
from tests.stores import (
    StoreClient,
    as_person,
    delete_operation,
    personal_store,
    put_operation,
    shared_store,
)
from wire.errors import PolicyDenied, ReadOnly

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).parents[2]


# --- the closed list ----------------------------------------------------------------------------


def _create(workspace):
    return personal_store(workspace).id


def _write_directly(workspace):
    store = personal_store(workspace)
    store.put("/a.md", "text").ok()
    return store.id


def _approve(workspace):
    store_id = shared_store(workspace, writes="review").id
    author, reviewer = make_person(workspace), make_person(workspace)
    grant(author, store_id, "read", "write")
    grant(reviewer, store_id, "read", "review")
    operation = Operation("/a.md", Put("text"), None)
    made = create_proposal(
        access=open_store(caller_for(author), store_id),
        proposal=NewProposal(Words("A title"), (operation,)),
    )
    respond(
        access=open_store(caller_for(reviewer), store_id),
        proposal_id=made.proposal_id,
        answer=Answer(ProposalResponse.APPROVE, None, Seen()),
    )
    return store_id


def _import(workspace):
    settings = StoreSettings(name="Imported", owner=Owner(OwnerKind.WORKSPACE, workspace.id))
    versions = [NextVersion({"/a.md": Put("text")}, Note())]
    return import_store(caller=platform(workspace), settings=settings, versions=versions).store_id


def _redact(workspace):
    store = personal_store(workspace)
    store.put("/a.md", "text").ok()
    redact(access=open_store(platform(workspace), store.id), paths=["/a.md"])
    return store.id


def _fork(workspace):
    source = personal_store(workspace)
    source.put("/a.md", "text").ok()
    owner = {"kind": "principal", "id": source.get().ok()["owner"]["id"]}
    body = {"source_version": source.canonical, "name": "Forked", "owner": owner}
    return str(source.api.post(source.url("fork"), body).ok(201)["store"])


def _checkpoint(workspace):
    scene = make_scene(workspace)
    store, session = own_store(scene)
    store.api.post(store.url("working-refs"), {"session": session}).ok(201)
    checkpoint(store, session, put_operation("/a.md", "text")).ok()
    return store.id


MOVES: dict[CanonicalMove, tuple[Callable[[Any], str], str]] = {
    CanonicalMove.CREATION: (_create, "memory/actions/stores.py:seal_initial"),
    CanonicalMove.FORK: (_fork, "memory/actions/forks.py:_make"),
    CanonicalMove.DIRECT_WRITE: (
        _write_directly,
        "memory/actions/change_sets.py:_advance_and_seal",
    ),
    CanonicalMove.APPROVED_PROPOSAL: (_approve, "proposals/actions/respond.py:_move_canonical"),
    CanonicalMove.IMPORT: (_import, "memory/importing/canonical.py:point_canonical"),
    CanonicalMove.REDACTION: (_redact, "memory/actions/redactions.py:_seal_without"),
    CanonicalMove.SESSION_CHECKPOINT: (_checkpoint, "sessions/turns/checkpointing.py:_follow"),
}
"""Each move, how it comes about, and the one function that makes it."""


@pytest.mark.parametrize("move", CanonicalMove)
def test_every_move_of_the_list_moves_canonical(workspace, move):
    store_id = MOVES[move][0](workspace)

    last = RefMove.objects.filter(store=store_id, kind=RefKind.CANONICAL).latest("id")

    assert last.after_id == open_store(platform(workspace), store_id).store.canonical_id
    first = {CanonicalMove.CREATION, CanonicalMove.FORK, CanonicalMove.IMPORT}
    assert (last.before_id is None) == (move in first)


def test_nothing_else_moves_canonical():
    assert sorted(_movers()) == sorted(mover for _, mover in MOVES.values())


def _movers() -> Iterator[str]:
    """The functions that make or advance a ref which may be canonical."""
    for room in ("tenancy", "memory", "proposals", "sessions", "console"):
        for file in sorted((ROOT / room).rglob("*.py")):
            tree = ast.parse(file.read_text())
            functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
            yield from (
                f"{file.relative_to(ROOT)}:{function.name}"
                for function in functions
                if any(map(_may_move_canonical, ast.walk(function)))
            )


def _may_move_canonical(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or ast.unparse(node.func) not in {
        "refs.advance",
        "refs.create",
    }:
        return False
    name = next(ast.unparse(each.value) for each in node.keywords if each.arg == "name")
    return not name.startswith("ref_of(")


@pytest.mark.parametrize("move", [move for move in CanonicalMove if move not in canonical.NEEDED])
def test_nobody_asks_for_a_move_of_the_platforms_own(workspace, move):
    store = shared_store(workspace)
    access = open_store(platform(workspace), store.id)

    with pytest.raises(ValueError, match="own move"):
        require_move(access, move)


# --- C1 -----------------------------------------------------------------------------------------


def test_C1_personal_canonical_takes_direct_writes_with_write(workspace):
    store = personal_store(workspace)
    writer = as_person(workspace, store.id, "read", "write")

    store.put("/a.md", "own").ok()
    writer.put("/b.md", "granted").ok()
    writer.change(delete_operation("/a.md", over="own")).ok()


def test_C1_a_sessions_ref_moves_and_canonical_stays(workspace):
    store = personal_store(workspace)
    base = store.canonical
    session = {"kind": "session", "session": random_id("session")}
    name = RefName(RefKind.SESSION, session["session"])
    with transaction.atomic():
        refs.create(store_id=store.id, name=name, at=base, actor=IMPORTER)

    store.change(put_operation("/a.md", "text"), ref=session, base=base).ok()

    assert store.canonical == base


@pytest.mark.parametrize("owner", ["personal", "shared"])
@pytest.mark.parametrize("permissions", [("read",), ("read", "review", "admin", "act_as")])
def test_C1_C3_without_write_nothing_is_written(workspace, owner, permissions):
    made = personal_store(workspace) if owner == "personal" else shared_store(workspace)
    made.put("/a.md", "text").ok()
    store = as_person(workspace, made.id, *permissions)

    for refused in (
        store.put("/b.md", "text"),
        store.delete("/a.md", over="text"),
        store.change(put_operation("/b.md", "text")),
    ):
        assert (refused.status, refused.error) == (403, "policy.denied")
        assert "`write`" in refused.message


# --- C3 -----------------------------------------------------------------------------------------


def _of_an_agent(workspace, writes):
    owner = {"kind": "agent_definition", "id": make_agent(workspace).id}
    person = make_person(workspace)
    grant(person, workspace, "read", "write", "admin")
    api = Api(make_key(workspace, principal=person)[1])
    body = {"name": "An agent's", "owner": owner, "canonical_writes": writes}
    return StoreClient(api, api.post("/v1/memory-stores", body).ok(201)["id"])


SHARED = {
    "workspace": lambda workspace, writes: shared_store(workspace, writes=writes),
    "agent_definition": _of_an_agent,
}


@pytest.mark.parametrize("owner", SHARED)
def test_C3_direct_lets_any_principal_or_key_with_write_append(workspace, owner):
    store = SHARED[owner](workspace, "direct")
    before = store.canonical
    key, secret = make_key(workspace)
    grant(key, store.id, "read", "write")
    with_own_grants = StoreClient(Api(secret), store.id)

    store.put("/a.md", "text").ok()
    with_own_grants.put("/b.md", "text").ok()

    newest = store.pages("versions")[0]
    assert newest["actor"] == {"kind": "api_key", "key": key.id}
    assert newest["kind"] == "direct"
    assert len(store.pages("reflog")) == 3
    assert store.canonical != before


@pytest.mark.parametrize("owner", SHARED)
def test_C3_review_takes_no_direct_write(workspace, owner):
    store = SHARED[owner](workspace, "review")
    before = store.canonical

    for refused in (
        store.put("/a.md", "text"),
        store.delete("/a.md", over="text"),
        store.change(put_operation("/a.md", "text")),
    ):
        assert (refused.status, refused.error) == (403, "memory.read_only")
        assert "Proposal" in refused.message
    assert store.canonical == before


def test_C3_review_is_the_default(workspace, admin_api):
    body = {"name": "Team", "owner": {"kind": "workspace", "id": workspace.id}}

    assert admin_api.post("/v1/memory-stores", body).ok(201)["canonical_writes"] == "review"


def test_C3_who_may_not_write_does_not_learn_how_a_store_is_governed(workspace):
    for writes in ("review", "direct"):
        store = as_person(workspace, shared_store(workspace, writes=writes).id, "read")

        assert store.put("/a.md", "text").error == "policy.denied"


def test_C3_the_setting_counts_as_it_is_now(workspace):
    store = shared_store(workspace, writes="direct")
    store.put("/a.md", "text").ok()
    governor = as_person(workspace, store.id, "read", "admin")
    governor.patch(canonical_writes="review").ok()

    assert store.put("/b.md", "text").error == "memory.read_only"


def test_C3_review_binds_canonical_and_no_other_ref(workspace):
    store = shared_store(workspace, "read", "write", writes="review")
    base = store.canonical
    session = {"kind": "session", "session": random_id("session")}
    name = RefName(RefKind.SESSION, session["session"])
    with transaction.atomic():
        refs.create(store_id=store.id, name=name, at=base, actor=IMPORTER)

    store.change(put_operation("/a.md", "text"), ref=session, base=base).ok()

    assert store.canonical == base


@pytest.mark.parametrize("writes", ["review", "direct"])
def test_C3_the_gate_for_an_approval_needs_review(workspace, writes):
    store_id = shared_store(workspace, writes=writes).id
    writer, reviewer = make_person(workspace), make_person(workspace)
    grant(writer, store_id, "read", "write", "admin")
    grant(reviewer, store_id, "read", "review")

    require_move(open_store(caller_for(reviewer), store_id), CanonicalMove.APPROVED_PROPOSAL)
    with pytest.raises(PolicyDenied):
        require_move(open_store(caller_for(writer), store_id), CanonicalMove.APPROVED_PROPOSAL)


def test_C3_the_gate_for_a_direct_write(workspace):
    store_id = shared_store(workspace, writes="review").id
    person = make_person(workspace)
    grant(person, store_id, "read", "write")

    with pytest.raises(ReadOnly):
        require_move(open_store(caller_for(person), store_id), CanonicalMove.DIRECT_WRITE)
    MemoryStore.objects.update(canonical_writes="direct")
    require_move(open_store(caller_for(person), store_id), CanonicalMove.DIRECT_WRITE)
