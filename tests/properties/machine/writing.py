"""Rules that write documents and govern the store."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.oracle.proposals import NewProposal
from tests.oracle.strategies import (
    any_operation,
    any_operations,
    mostly,
    paths,
    right_operations,
    versions_in,
)
from tests.oracle.values import CANONICAL, UNKNOWN, Caller, ChangeSet, RefName
from tests.properties.machine.base import Machine, anybody
from tests.properties.people import AUTHOR, CREATOR, KEEPER, STRANGER

changes_of_settings = st.one_of(
    st.fixed_dictionaries({"archived": st.booleans()}),
    st.fixed_dictionaries({"self_approval": st.sampled_from(("denied", "allowed"))}),
    st.fixed_dictionaries({"canonical_writes": st.sampled_from(("direct", "review"))}),
)


class Writing(Machine):
    """Change sets, the document surface, keys that are used again, and settings."""

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
    @rule(data=st.data(), same=mostly(True, st.just(False)))
    def use_a_key_again(self, data: st.DataObject, same: bool) -> None:
        """With the same request, or for something else."""
        verb, caller, request, key = data.draw(st.sampled_from(self.sent))
        if not same:
            operations = data.draw(right_operations(self.canonical_tree))
            verb, request = "create", (NewProposal("Another title", None, operations),)
        self.both(verb, caller, *request, key)

    @precondition(lambda self: len(self.session_refs) < 2 and not self.oracle.settings.archived)
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
