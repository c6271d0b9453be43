"""What an import tells the operator when it is done."""

from collections.abc import Collection, Iterator
from typing import Final

from memory.actions.git_imports import ImportedStore, ResumedImport
from memory.git.history import History
from memory.git.selection import Selection

EXAMPLES: Final = 3


def report(history: History, selection: Selection, imported: ImportedStore) -> Iterator[str]:
    """Lines for a terminal: what came, what could not, and why."""
    yield (
        f"Imported {_count(len(history), 'commit')} as {_count(imported.versions, 'version')};"
        f" canonical holds {_count(imported.canonical.document_count, 'document')}."
    )
    yield from about_skipped(history, selection)


def report_resumed(history: History, selection: Selection, resumed: ResumedImport) -> Iterator[str]:
    """The same for an import that went on."""
    if resumed.tip is None:
        yield f"{_count(len(history), 'new commit')}, and nothing new for the store."
    else:
        yield (
            f"Imported {_count(len(history), 'new commit')} as"
            f" {_count(resumed.versions, 'version')}; the last holds"
            f" {_count(resumed.tip.document_count, 'document')}."
        )
    if resumed.proposal_id:
        yield (
            "Canonical has moved on since the last import, so they are proposed and not canonical:"
            f" {resumed.proposal_id}."
        )
    yield from about_skipped(history, selection)


def about_nothing(selection: Selection) -> str:
    """One sentence about an import of nothing: what of the history could not be taken."""
    reasons = [f"{reason}: {_some(paths)}" for reason, paths in sorted(selection.skipped.items())]
    why = f" Left out, since a store cannot hold them: {'; '.join(reasons)}." if reasons else ""
    return f"There is no document to import.{why}"


def about_skipped(history: History, selection: Selection) -> Iterator[str]:
    """Lines about what was left out, and why."""
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
