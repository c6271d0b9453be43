"""A rule that reads: documents, trees, histories, who wrote what, and what is found."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.oracle.strategies import (
    maybe_versions_in,
    mostly,
    paths,
    prefixes,
    queries,
    versions_in,
)
from tests.oracle.values import Caller
from tests.properties.machine.base import Machine, anybody, limits
from tests.properties.people import READER


class Reading(Machine):
    """Reads at any version, by anybody."""

    @rule(data=st.data(), caller=mostly(READER, anybody), limit=limits)
    def ask(self, data: st.DataObject, caller: Caller, limit: int) -> None:
        """One to three questions of any kind; one rule, so that writes are not outnumbered."""
        questions = (
            self._read,
            self._list_documents,
            self._list_what_happened,
            self._diff,
            self._history,
            self._blame,
            self._search,
            self._export,
        )
        for question in data.draw(st.lists(st.sampled_from(questions), min_size=1, max_size=3)):
            question(data, caller, limit)

    def _read(self, data: st.DataObject, caller: Caller, limit: int) -> None:
        path, version = data.draw(paths), data.draw(maybe_versions_in(self.oracle))
        self.both("read", caller, path, version)

    def _list_documents(self, data: st.DataObject, caller: Caller, limit: int) -> None:
        version, prefix = data.draw(maybe_versions_in(self.oracle)), data.draw(prefixes)
        self.both("list_documents", caller, version, prefix, limit=limit)

    def _list_what_happened(self, data: st.DataObject, caller: Caller, limit: int) -> None:
        self.both("list_versions", caller, limit=limit)
        self.both("list_refs", caller, limit=limit)
        self.both("list_moves", caller, limit=limit)
        statuses = (None, "open", "approved", "rejected", "superseded")
        self.both("list_proposals", caller, data.draw(st.sampled_from(statuses)), limit=limit)

    def _diff(self, data: st.DataObject, caller: Caller, limit: int) -> None:
        base, head = (data.draw(versions_in(self.oracle)) for _ in range(2))
        self.both("diff", caller, base, head, limit=limit)

    def _history(self, data: st.DataObject, caller: Caller, limit: int) -> None:
        path, version = data.draw(paths), data.draw(maybe_versions_in(self.oracle))
        self.both("history", caller, path, version, limit=limit)

    def _blame(self, data: st.DataObject, caller: Caller, limit: int) -> None:
        """Every document of one version, and one path that may hold none."""
        version = data.draw(versions_in(self.oracle))
        for path in {data.draw(paths), *self.oracle.versions[version].tree}:
            self.both("blame", caller, path, version)

    def _search(self, data: st.DataObject, caller: Caller, limit: int) -> None:
        """Several queries at one version."""
        version, prefix = (
            data.draw(maybe_versions_in(self.oracle)),
            data.draw(mostly("/", prefixes)),
        )
        for query in data.draw(st.lists(queries, min_size=2, max_size=5, unique=True)):
            self.both("search", caller, query, version, prefix, limit=limit)

    def _export(self, data: st.DataObject, caller: Caller, limit: int) -> None:
        self.both("export", caller)
        self.both("export_pages", caller, limit=data.draw(st.sampled_from((limit, 3 * limit, 200))))
