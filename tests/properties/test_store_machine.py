"""Oracle and product side by side: the same questions, the same answers, whatever the order."""

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

from tenancy.models import Principal
from tests.factories import grant, make_person, make_workspace
from tests.oracle.store import Store
from tests.oracle.strategies import mostly, operations_on, paths, prefixes, versions_in
from tests.oracle.values import (
    CANONICAL,
    UNKNOWN,
    Caller,
    ChangeSet,
    RefName,
    Settings,
)
from tests.properties.server import Server, answer

CREATOR = Caller("creator", frozenset({"read", "write", "admin"}))
CALLERS = (
    Caller("author", frozenset({"read", "write"})),
    Caller("keeper", frozenset({"read", "write", "review", "admin"})),
    Caller("reviewer", frozenset({"read", "review"})),
    Caller("reader", frozenset({"read"})),
    Caller("blind", frozenset({"write", "review"})),
    Caller("stranger", frozenset()),
)
NAMES = [CREATOR.name, *(caller.name for caller in CALLERS)]
SESSIONS = tuple(RefName("session", name) for name in ("first", "second"))
NOWHERE = RefName("session", "nowhere")

mostly_authors = st.sampled_from((CREATOR,) * 8 + CALLERS)
anybody = st.sampled_from((CREATOR, *CALLERS))
governance = st.sampled_from(
    (Settings(), Settings(canonical_writes="direct"), Settings(canonical_writes="review"))
)


class StoreMachine(RuleBasedStateMachine):
    """One store of the product beside one of the oracle."""

    people: ClassVar[dict[str, Principal]]
    examples: ClassVar[Any] = count()

    @initialize(governed=governance)
    def create(self, governed: Settings) -> None:
        self.creator = replace(CREATOR, owner=governed.canonical_writes is None)
        self.oracle = Store(self.creator, governed)
        self.server = Server(self.people, self.creator, governed)
        for caller in CALLERS:
            if caller.permissions:
                self.server.give(caller)
        self.sent: list[tuple[Caller, ChangeSet, str]] = []
        self.example = next(self.examples)
        self.looked_at = count()

    def both(self, verb: str, *arguments: Any) -> Any:
        """Put a question to both and insist on one answer."""
        expected = answer(getattr(self.oracle, verb), *arguments)
        found = answer(getattr(self.server, verb), *arguments)
        assert found == expected, verb
        return expected

    # --- writes ------------------------------------------------------------------------------

    @rule(data=st.data(), caller=mostly_authors, keyed=st.booleans())
    def write(self, data: st.DataObject, caller: Caller, keyed: bool) -> None:
        ref = data.draw(st.sampled_from((CANONICAL, CANONICAL, *self.oracle.refs, NOWHERE)))
        current = self.oracle.refs.get(ref, 0)
        base = data.draw(mostly(current, st.sampled_from((None, 0, UNKNOWN))))
        operations = data.draw(operations_on(self.oracle.versions[current].tree))
        message = data.draw(st.none() | st.just("why"))
        request = ChangeSet(ref, base, operations, message)
        key = f"{self.example}-{len(self.sent)}" if keyed else None
        self.both("change_set", caller, request, key)
        if key:
            self.sent.append((caller, request, key))

    @precondition(lambda self: self.sent)
    @rule(data=st.data(), other=st.booleans())
    def send_again(self, data: st.DataObject, other: bool) -> None:
        caller, request, key = data.draw(st.sampled_from(self.sent))
        if other:
            request = replace(request, message="for another reason")
        self.both("change_set", caller, request, key)

    @rule(name=st.sampled_from(SESSIONS), data=st.data())
    def open_session_ref(self, name: RefName, data: st.DataObject) -> None:
        if name not in self.oracle.refs:
            at = data.draw(st.integers(0, len(self.oracle.versions) - 1))
            self.both("move", name, at, self.creator)

    @rule(
        caller=st.sampled_from((CREATOR, CALLERS[1], CALLERS[0], CALLERS[-1])),
        stale=mostly(0, st.sampled_from((1, -1))),
        archived=st.booleans(),
    )
    def archive_or_reopen(self, caller: Caller, stale: int, archived: bool) -> None:
        caller = self.creator if caller == CREATOR else caller
        version = self.oracle.settings_version - stale
        self.both_settings(caller, version, archived=archived)

    def both_settings(self, caller: Caller, version: int, **changes: Any) -> None:
        expected = answer(self.oracle.change_settings, caller, version, **changes)
        assert answer(self.server.change_settings, caller, version, **changes) == expected

    # --- reads -------------------------------------------------------------------------------

    @rule(caller=anybody, path=paths, data=st.data())
    def read(self, caller: Caller, path: str, data: st.DataObject) -> None:
        self.both("read", caller, path, data.draw(st.none() | versions_in(self.oracle)))

    @rule(caller=anybody, prefix=prefixes, data=st.data(), limit=st.integers(1, 9))
    def list_documents(self, caller: Caller, prefix: str, data: st.DataObject, limit: int) -> None:
        version = data.draw(st.none() | versions_in(self.oracle))
        expected = answer(self.oracle.list_documents, caller, version, prefix)
        found = answer(self.server.list_documents, caller, version, prefix, limit)
        assert found == expected

    @rule(data=st.data())
    def diff(self, data: st.DataObject) -> None:
        base, head = (data.draw(versions_in(self.oracle)) for _ in range(2))
        self.both("diff", self.creator, base, head)

    @rule(path=paths, data=st.data())
    def history(self, path: str, data: st.DataObject) -> None:
        self.both("history", self.creator, path, data.draw(versions_in(self.oracle)))

    # --- what always holds -------------------------------------------------------------------

    @invariant()
    def versions_agree(self) -> None:
        self.both("list_versions", self.creator)

    @invariant()
    def refs_agree(self) -> None:
        self.both("list_refs", self.creator)
        self.both("list_moves", self.creator)

    @invariant()
    def an_old_version_still_reads_the_same(self) -> None:
        self.read_all(next(self.looked_at) % len(self.oracle.versions))

    def teardown(self) -> None:
        if hasattr(self, "oracle"):
            for version in range(len(self.oracle.versions)):
                self.read_all(version)

    def read_all(self, version: int) -> None:
        for path in self.oracle.versions[version].tree:
            self.both("read", self.creator, path, version)


@pytest.mark.django_db(transaction=True)
def test_the_product_does_what_the_oracle_does():
    workspace = make_workspace()
    people = {name: make_person(workspace, name) for name in NAMES}
    grant(people[CREATOR.name], workspace, *CREATOR.permissions)
    StoreMachine.people = people
    run_state_machine_as_test(
        StoreMachine, settings=settings(max_examples=40, stateful_step_count=25)
    )
