"""Oracle and product side by side: the same questions, the same answers, whatever the order."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.client import Api
from tests.factories import grant, make_key, make_person, make_workspace
from tests.oracle.proposals import NewProposal, ProposalDesk, Response
from tests.oracle.store import Store
from tests.oracle.strategies import (
    any_operation,
    any_operations,
    maybe_versions_in,
    mostly,
    paths,
    prefixes,
    right_operations,
    versions_in,
)
from tests.oracle.values import CANONICAL, UNKNOWN, Caller, ChangeSet, RefName, Settings, Tree
from tests.properties.server import Person, Server, answer_of

CREATOR = Caller("creator", frozenset({"read", "write", "admin"}))
AUTHOR = Caller("author", frozenset({"read", "write"}))
KEEPER = Caller("keeper", frozenset({"read", "write", "review", "admin"}))
REVIEWER = Caller("reviewer", frozenset({"read", "review"}))
READER = Caller("reader", frozenset({"read"}))
BLIND = Caller("blind", frozenset({"write", "review"}))
STRANGER = Caller("stranger", frozenset())
CALLERS = (AUTHOR, KEEPER, REVIEWER, READER, BLIND, STRANGER)

anybody = st.sampled_from((CREATOR, *CALLERS))
limits = st.integers(1, 9)
governance = st.builds(
    Settings, st.sampled_from((None, "direct", "review")), st.sampled_from(("denied", "allowed"))
)
changes_of_settings = st.one_of(
    st.fixed_dictionaries({"archived": st.booleans()}),
    st.fixed_dictionaries({"self_approval": st.sampled_from(("denied", "allowed"))}),
    st.fixed_dictionaries({"canonical_writes": st.sampled_from(("direct", "review"))}),
)


class StoreMachine(RuleBasedStateMachine):
    """One store of the product beside one of the oracle."""

    people: ClassVar[dict[str, Person]]
    keys: ClassVar[Iterator[int]] = count()

    @initialize(governed=governance)
    def create_store(self, governed: Settings) -> None:
        self.creator = replace(CREATOR, owner=governed.canonical_writes is None)
        self.oracle = Store(self.creator, governed)
        self.desk = ProposalDesk(self.oracle)
        self.server = Server(self.people, self.creator, governed)
        for caller in CALLERS:
            if caller.permissions:
                self.server.give(caller)
        self.sent: list[tuple[str, Caller, Any, str]] = []
        self.steps = 0

    def both(self, verb: str, *arguments: Any, limit: int | None = None, **options: Any) -> Any:
        """Put a question to both and insist on one answer; only the product pages."""
        side = self.oracle if hasattr(self.oracle, verb) else self.desk
        expected = answer_of(getattr(side, verb), *arguments, **options)
        paged = options if limit is None else {**options, "limit": limit}
        assert answer_of(getattr(self.server, verb), *arguments, **paged) == expected
        return expected

    def send(self, verb: str, caller: Caller, *request: Any) -> None:
        """Write with a new Idempotency-Key, which may be used again later."""
        key = f"key-{next(self.keys)}"
        self.both(verb, caller, *request, key)
        self.sent.append((verb, caller, request, key))

    # --- writes ------------------------------------------------------------------------------

    @rule(data=st.data(), message=st.none() | st.just("Why it was done"))
    def change(self, data: st.DataObject, message: str | None) -> None:
        """A change set as it should be; whether it may depends on how the store is governed."""
        ref = data.draw(st.sampled_from((CANONICAL, *self.session_refs)))
        base = self.oracle.refs[ref]
        operations = data.draw(right_operations(self.oracle.versions[base].tree))
        self.send("change_set", AUTHOR, ChangeSet(ref, base, operations, message))

    @rule(data=st.data(), caller=anybody)
    def change_wrongly(self, data: st.DataObject, caller: Caller) -> None:
        """A change set with whatever may be wrong with it."""
        nowhere = RefName("session", UNKNOWN)
        ref = data.draw(st.sampled_from((*self.oracle.refs, nowhere)))
        base = data.draw(st.just(UNKNOWN) | versions_in(self.oracle))
        operations = data.draw(any_operations(self.oracle.versions[base].tree))
        self.send("change_set", caller, ChangeSet(ref, base, operations))

    @rule(data=st.data(), caller=mostly(AUTHOR, anybody), path=paths)
    def write_document(self, data: st.DataObject, caller: Caller, path: str) -> None:
        self.send("write_document", caller, data.draw(any_operation(path, self.canonical_tree)))

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def send_again(self, data: st.DataObject) -> None:
        verb, caller, request, key = data.draw(st.sampled_from(self.sent))
        self.both(verb, caller, *request, key)

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def send_something_else_with_a_used_key(self, data: st.DataObject) -> None:
        _, caller, _, key = data.draw(st.sampled_from(self.sent))
        operations = data.draw(right_operations(self.canonical_tree))
        self.both("create", caller, NewProposal("Another title", None, operations), key)

    @precondition(lambda self: len(self.session_refs) < 2)
    @rule(data=st.data())
    def open_session_ref(self, data: st.DataObject) -> None:
        name = RefName("session", len(self.session_refs))
        self.both("move", name, data.draw(versions_in(self.oracle)), self.creator)

    @rule(
        caller=st.sampled_from((KEEPER, KEEPER, CREATOR, AUTHOR, STRANGER)),
        missed=mostly(0, st.sampled_from((1, -1))),
        changes=changes_of_settings,
    )
    def govern(self, caller: Caller, missed: int, changes: dict[str, Any]) -> None:
        asked_by = self.creator if caller == CREATOR else caller
        version = max(1, self.oracle.settings_version + missed)
        self.both("change_settings", asked_by, version, **changes)

    @precondition(lambda self: self.oracle.settings.archived)
    @rule()
    def reopen(self) -> None:
        self.both("change_settings", KEEPER, self.oracle.settings_version, archived=False)

    @property
    def session_refs(self) -> list[RefName]:
        return [name for name in self.oracle.refs if name.kind == "session"]

    @property
    def canonical_tree(self) -> Tree:
        return self.oracle.versions[self.oracle.refs[CANONICAL]].tree

    # --- Proposals ---------------------------------------------------------------------------

    @rule(data=st.data(), caller=st.sampled_from((AUTHOR, KEEPER)))
    def propose(self, data: st.DataObject, caller: Caller) -> None:
        operations = data.draw(right_operations(self.canonical_tree))
        self.send("create", caller, NewProposal("What is new", None, operations))

    @rule(data=st.data(), caller=mostly(AUTHOR, anybody), inline=st.booleans())
    def propose_anything(self, data: st.DataObject, caller: Caller, inline: bool) -> None:
        """On any base, which may be stale or unknown, any operations or any head."""
        base = data.draw(maybe_versions_in(self.oracle))
        tree = self.oracle.versions[base or 0].tree
        head: Any = data.draw(any_operations(tree) if inline else versions_in(self.oracle))
        self.send("create", caller, NewProposal("What is new", base, head))

    @precondition(lambda self: self.desk.proposals)
    @rule(data=st.data(), response=mostly("approve", st.just("reject")))
    def respond(self, data: st.DataObject, response: str) -> None:
        number = data.draw(self.some_proposal("open"))
        seen = self.desk.proposals[number]
        answer = Response(response, seen.base, seen.head, seen.diff_hash)
        self.send("respond", REVIEWER, number, answer)

    @precondition(lambda self: self.desk.proposals)
    @rule(
        data=st.data(),
        caller=mostly(KEEPER, anybody),
        response=st.sampled_from(("approve", "reject")),
        echo=st.sampled_from(((None, None, None), (0, 0, None), (None, UNKNOWN, None))),
    )
    def respond_blindly(
        self, data: st.DataObject, caller: Caller, response: str, echo: tuple[Any, Any, Any]
    ) -> None:
        number = data.draw(mostly(UNKNOWN, self.some_proposal()) | self.some_proposal())
        self.send("respond", caller, number, Response(response, *echo))

    @precondition(lambda self: self.desk.proposals)
    @rule(data=st.data(), caller=mostly(AUTHOR, anybody))
    def repropose(self, data: st.DataObject, caller: Caller) -> None:
        self.send("repropose", caller, data.draw(self.some_proposal("superseded")))

    @precondition(lambda self: self.desk.proposals)
    @rule(data=st.data(), approve=st.booleans())
    def overtake(self, data: st.DataObject, approve: bool) -> None:
        """Let another Proposal move canonical first; try what becomes of the ones before it."""
        number = data.draw(self.some_proposal("open"))
        operations = data.draw(right_operations(self.canonical_tree))
        self.send("create", AUTHOR, NewProposal("Faster", None, operations))
        self.send("respond", REVIEWER, len(self.desk.proposals) - 1, Response("approve"))
        if approve:
            self.send("respond", REVIEWER, number, Response("approve"))
        self.send("repropose", AUTHOR, number)

    @rule(data=st.data(), caller=anybody, limit=limits)
    def list_proposals(self, data: st.DataObject, caller: Caller, limit: int) -> None:
        statuses = (None, "open", "approved", "rejected", "superseded")
        self.both("list_proposals", caller, data.draw(st.sampled_from(statuses)), limit=limit)

    def some_proposal(self, status: str | None = None) -> st.SearchStrategy[int]:
        """Any Proposal, rather one of a status."""
        numbers = [proposal.number for proposal in self.desk.proposals]
        likely = [number for number in numbers if self.desk.proposals[number].status == status]
        return st.sampled_from(likely * 4 + numbers)

    # --- reads -------------------------------------------------------------------------------

    @rule(caller=anybody, path=paths, data=st.data())
    def read(self, caller: Caller, path: str, data: st.DataObject) -> None:
        self.both("read", caller, path, data.draw(maybe_versions_in(self.oracle)))

    @rule(caller=anybody, prefix=prefixes, data=st.data(), limit=limits)
    def list_documents(self, caller: Caller, prefix: str, data: st.DataObject, limit: int) -> None:
        version = data.draw(maybe_versions_in(self.oracle))
        self.both("list_documents", caller, version, prefix, limit=limit)

    @rule(caller=anybody, limit=limits)
    def list_what_happened(self, caller: Caller, limit: int) -> None:
        self.both("list_versions", caller, limit=limit)
        self.both("list_refs", caller, limit=limit)
        self.both("list_moves", caller, limit=limit)

    @rule(caller=anybody, data=st.data(), limit=limits)
    def diff(self, caller: Caller, data: st.DataObject, limit: int) -> None:
        base, head = (data.draw(versions_in(self.oracle)) for _ in range(2))
        self.both("diff", caller, base, head, limit=limit)

    @rule(caller=anybody, path=paths, data=st.data(), limit=limits)
    def history(self, caller: Caller, path: str, data: st.DataObject, limit: int) -> None:
        version = data.draw(maybe_versions_in(self.oracle))
        self.both("history", caller, path, version, limit=limit)

    # --- what always holds -------------------------------------------------------------------

    @invariant()
    def versions_and_refs_agree(self) -> None:
        self.both("list_versions", READER)
        self.both("list_refs", READER)

    @invariant()
    def an_old_version_still_reads_the_same(self) -> None:
        self.steps += 1
        self.read_all(self.steps % len(self.oracle.versions))

    def teardown(self) -> None:
        if hasattr(self, "oracle"):
            self.both("list_moves", READER)
            self.both("list_proposals", READER)
            for version in range(len(self.oracle.versions)):
                self.read_all(version)

    def read_all(self, version: int) -> None:
        self.both("list_documents", READER, version)
        for path in self.oracle.versions[version].tree:
            self.both("read", READER, path, version)


def make_people() -> dict[str, Person]:
    """A person with a key for each caller; what they may do is granted store by store."""
    workspace = make_workspace()
    people = {}
    for caller in (CREATOR, *CALLERS):
        principal = make_person(workspace, caller.name)
        key, secret = make_key(workspace, principal=principal)
        people[caller.name] = Person(principal, key, Api(secret))
    grant(people[CREATOR.name].principal, workspace, *CREATOR.permissions)
    return people


@pytest.mark.parametrize(
    ("examples", "steps"), [(12, 40), pytest.param(200, 80, marks=pytest.mark.soak)]
)
@pytest.mark.django_db(transaction=True)
def test_the_product_does_what_the_oracle_does(examples: int, steps: int):
    StoreMachine.people = make_people()
    bounded = settings(max_examples=examples, stateful_step_count=steps)
    run_state_machine_as_test(StoreMachine, settings=bounded)
