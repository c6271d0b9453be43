"""Blame in the oracle (contract R3): every version remembers who wrote each line.

The texts that are drawn hold each line once and all lines in one order (`strategies.texts`), so
that what two of them have in common is no matter of choice.
"""

from tests.oracle.store import Store
from tests.oracle.trees import content_of, diff
from tests.oracle.values import BlamedLine, Caller, Version


class Annotations:
    """Who wrote which line of the documents of one store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def blame(
        self, caller: Caller, path: str, version: int | None = None
    ) -> tuple[BlamedLine, ...]:
        """For each line of a document, the version that wrote it and the path it had then."""
        reading = self.store.read(caller, path, version)
        return tuple(self._lines(path, reading.version).values())

    def _lines(self, path: str, version: int) -> dict[str, BlamedLine]:
        """The lines of a document by their text, in order."""
        sealed = self.store.versions[version]
        parent = self.store.versions[sealed.parent] if sealed.parent is not None else None
        document = sealed.tree[path]
        if parent is None or path not in parent.tree:
            return self._added(path, sealed, parent)
        if content_of(parent.tree[path]) == content_of(document):
            return self._lines(path, parent.number)
        if self.store.bodies.why_gone(path, parent.tree[path]):
            return dict.fromkeys(lines_of(document.text), BlamedLine(version, path, "erased"))
        mine = BlamedLine(version, path)
        before = self._lines(path, parent.number)
        return {line: before.get(line, mine) for line in lines_of(document.text)}

    def _added(self, path: str, sealed: Version, parent: Version | None) -> dict[str, BlamedLine]:
        """A document that was not there is new, unless the same content left another path."""
        for change in diff(parent.tree, sealed.tree) if parent else ():
            if change.path == path and change.old_path is not None:
                assert parent is not None
                return self._lines(change.old_path, parent.number)
        lines = lines_of(sealed.tree[path].text)
        return dict.fromkeys(lines, BlamedLine(sealed.number, path))


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends; LF alone ends one."""
    pieces = text.split("\n")
    lines = [piece + "\n" for piece in pieces[:-1]]
    return lines + pieces[-1:] if pieces[-1] else lines
