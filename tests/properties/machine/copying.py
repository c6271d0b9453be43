"""Rules that take the store elsewhere: forks, imports, exports that something comes between."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.oracle.proposals import NewProposal
from tests.oracle.strategies import mostly, right_operations, versions_in
from tests.oracle.values import CANONICAL, CONFLICT, Caller, ChangeSet
from tests.properties.machine.base import Machine, anybody, limits
from tests.properties.machine.pair import Pair
from tests.properties.people import ADMIN, AUTHOR, READER
from tests.properties.product.requests import answer_of


class Copying(Machine):
    """Copies, which are compared at once and deleted again."""

    @rule(data=st.data(), caller=mostly(READER, anybody))
    def fork(self, data: st.DataObject, caller: Caller) -> None:
        version = data.draw(mostly(self.oracle.refs[CANONICAL], versions_in(self.oracle)))
        key = f"key-{next(self.keys)}"
        forked, told = self.pair.ask_both("fork", caller, version, key)
        if isinstance(forked, str):
            return
        assert self.both("fork", caller, version, key).replayed
        self._live_alone(Pair(forked.store, told.store), caller, data)

    @rule(data=st.data(), caller=mostly(READER, anybody), limit=limits)
    def import_export(self, data: st.DataObject, caller: Caller, limit: int) -> None:
        imported, told = self.pair.ask_both("import_export", caller, limit=8 * limit)
        if not isinstance(imported, str):
            self._live_alone(Pair(imported.store, told.store), caller, data)

    def _live_alone(self, copy: Pair, caller: Caller, data: st.DataObject) -> None:
        """Compare a copy with what it should be, change it, and delete it."""
        owner = Caller(caller.name, frozenset({"read", "write"}), owner=True)
        copy.both("list_versions", owner)
        copy.both("export_pages", owner)
        at = copy.store.refs[CANONICAL]
        operations = data.draw(right_operations(copy.store.versions[at].tree))
        copy.both("change_set", owner, ChangeSet(CANONICAL, at, operations), "alone")
        copy.both("search", owner, "one")
        copy.compare(owner)
        copy.delete()

    @rule(data=st.data(), what=st.sampled_from(("nothing", "a Proposal", "a redaction", "a day")))
    def export_across(self, data: st.DataObject, what: str) -> None:
        """Begin an export; it ends with the snapshot that it is of (E2)."""
        before = self.both("export_pages", READER)
        page = self.server.export_page(READER, 1)["next_page"]
        if what == "a Proposal":
            operations = data.draw(right_operations(self.canonical_tree))
            self.send("create", AUTHOR, NewProposal("Meanwhile", None, operations))
        elif what == "a redaction":
            self.send("redact", ADMIN, frozenset({"/a"}))
        elif what == "a day":
            self.clock.move(days=1)
        gone_on = answer_of(self.server.export_page, READER, 1, page)
        if self.both("export_pages", READER) != before:
            assert gone_on == CONFLICT
        elif what in ("nothing", "a day"):
            assert gone_on != CONFLICT
