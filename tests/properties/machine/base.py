"""What every rule stands on: the two sides, who asks, and how both are asked."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant

from tests.clock import Clock
from tests.oracle.proposals import NewProposal, Response
from tests.oracle.retention import Workspace
from tests.oracle.store import Store
from tests.oracle.strategies import QUERIES, right_operations
from tests.oracle.values import CANONICAL, NOT_FOUND, Caller, RefName, Settings, Tree
from tests.properties.machine.pair import Pair
from tests.properties.people import (
    ADMIN,
    AUTHOR,
    CALLERS,
    CREATOR,
    KEEPER,
    READER,
    REVIEWER,
    Person,
)
from tests.properties.product.erasure import keep_all
from tests.properties.product.server import create_server

anybody = st.sampled_from((CREATOR, *CALLERS))
limits = st.integers(1, 9)
governance = st.builds(
    Settings, st.sampled_from((None, "direct", "review")), st.sampled_from(("denied", "allowed"))
)


class Machine(RuleBasedStateMachine):
    """One store of the product beside one of the oracle."""

    people: ClassVar[dict[str, Person]]
    clock: ClassVar[Clock]
    keys: ClassVar[Iterator[int]] = count()

    @initialize(governed=governance, data=st.data())
    def create_store(self, governed: Settings, data: st.DataObject) -> None:
        """A store with some documents, by a way that every store allows."""
        self.creator = replace(CREATOR, owner=governed.canonical_writes is None)
        self.workspace = Workspace(lambda: self.clock.moment, keep_all(self.people[ADMIN.name].api))
        store = Store(self.workspace, self.creator, governed)
        self.pair = Pair(store, create_server(self.people, self.creator, governed))
        self.oracle, self.desk, self.server = store, self.pair.desk, self.pair.server
        for caller in CALLERS:
            if caller.permissions:
                self.server.give(caller)
        self.sent: list[tuple[str, Caller, Any, str]] = []
        self.steps = 0
        operations = data.draw(right_operations({}))
        self.send("create", AUTHOR, NewProposal("The first documents", None, operations))
        self.send("respond", REVIEWER, 0, Response("approve"))

    def both(self, verb: str, *arguments: Any, **options: Any) -> Any:
        """Put a question to both and insist on one answer."""
        return self.pair.both(verb, *arguments, **options)

    def send(self, verb: str, caller: Caller, *request: Any) -> None:
        """Write with a new Idempotency-Key, which may be used again later."""
        key = f"key-{next(self.keys)}"
        self.both(verb, caller, *request, key)
        self.sent.append((verb, caller, request, key))

    @property
    def session_refs(self) -> list[RefName]:
        return [name for name in self.oracle.refs if name.kind == "session"]

    @property
    def canonical_tree(self) -> Tree:
        return self.oracle.versions[self.oracle.refs[CANONICAL]].tree

    # --- what always holds -------------------------------------------------------------------

    @invariant()
    def versions_and_refs_agree(self) -> None:
        self.both("list_versions", READER)
        self.both("list_refs", READER)

    @invariant()
    def an_old_version_still_reads_the_same(self) -> None:
        """In one way after the other, so that each step costs little."""
        self.steps += 1
        versions = len(self.oracle.versions)
        ask = (self.read, self.compare_with_canonical, self.blame, self.search, self.export)
        ask[self.steps % len(ask)](self.steps * 7 % versions)

    def read(self, version: int) -> None:
        self.pair.read_all(READER, version)

    def compare_with_canonical(self, version: int) -> None:
        canonical = self.oracle.refs[CANONICAL]
        self.both("diff", READER, version, canonical)
        for path in list(self.oracle.versions[version].tree)[:2]:
            self.both("history", READER, path, canonical)

    def blame(self, version: int) -> None:
        for path in self.oracle.versions[version].tree:
            self.both("blame", READER, path, version)

    def search(self, version: int) -> None:
        for number in range(2):
            self.both("search", READER, QUERIES[(self.steps + 7 * number) % len(QUERIES)], version)

    def export(self, version: int) -> None:
        self.both("export_pages", READER, limit=version + 1)
        self.both("list_moves", READER)

    def teardown(self) -> None:
        if hasattr(self, "pair"):
            self.pair.compare(READER)
            for version in range(len(self.oracle.versions)):
                self.pair.read_all(READER, version)
            self.pair.delete()
            self.pair.expect_nothing(KEEPER)
            self.use_keys_of_a_store_that_is_gone()

    def use_keys_of_a_store_that_is_gone(self) -> None:
        """No receipt tells of a store that was deleted, or writes into it (X2).

        Whose authority is over the whole Workspace may be told first what the store did not allow.
        """
        for verb, caller, request, key in self.sent[-5:]:
            if caller not in (ADMIN, CREATOR):
                assert self.both(verb, caller, *request, key) == NOT_FOUND
