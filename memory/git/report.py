"""What an import tells the operator when it is done."""

from collections.abc import Collection, Iterator
from typing import Final

from memory.actions.imports import ImportedStore
from memory.git.history import History
from memory.git.selection import Selection

EXAMPLES: Final = 3


def report(history: History, selection: Selection, imported: ImportedStore) -> Iterator[str]:
    """Lines for a terminal: what came, what could not, and why."""
    yield (
        f"Imported {_count(len(history), 'commit')} as {_count(imported.versions, 'version')};"
        f" canonical holds {_count(imported.canonical.document_count, 'document')}."
    )
    if history.repository.is_shallow:
        yield "The repository is a shallow clone: what came before its oldest commit is missing."
    if selection.skipped:
        yield "Left out, since a store cannot hold them (files, and the first few by name):"
    for reason, paths in sorted(selection.skipped.items()):
        yield f"{len(paths):>7,}  {reason}: {_some(paths)}"
    if selection.left:
        left = _count(len(selection.left), "document")
        yield f"{left} left the store for such a reason: {_some(selection.left)}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _some(paths: Collection[str]) -> str:
    shown = ", ".join(map(_printable, sorted(paths)[:EXAMPLES]))
    more = len(paths) - EXAMPLES
    return f"{shown} and {more:,} more" if more > 0 else shown


def _printable(path: str) -> str:
    """A path that cannot steer the terminal, nor hide in it."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in path
    )
