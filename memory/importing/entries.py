"""Entries of an export: what each revision holds at each path (contract I1)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from memory.importing.faults import BundleFault
from memory.importing.reading import Reader, Run

type Named = Callable[[str], UUID]

ENTRIES_AT_ONCE = 1_000


@dataclass(slots=True)
class Entries:
    """All entries of one revision.

    Attributes:
        documents: path → the document version there, as it is called here.
    """

    revision_id: str
    documents: dict[str, UUID] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)

    def fault(self, path: str, sentence: str) -> BundleFault:
        """What is wrong with the entry at a path, as an error that names it."""
        for run in self.runs:
            for index, fields in enumerate(run.fields):
                if fields["path"] == path:
                    return run.fault(index, sentence)
        raise KeyError(path)


def read_entries(reader: Reader, named: Named, revision_id: str, count: int) -> Entries:
    """Read as many entries as a revision declares.

    Args:
        named: says what a document version of the export is called here.

    Raises:
        BundleFault: there are fewer, they are another revision's, or not in the order of paths.
    """
    entries = Entries(revision_id)
    while len(entries.documents) < count:
        run = reader.take(min(count - len(entries.documents), ENTRIES_AT_ONCE))
        if run is None or run.kind != "revision_entry":
            raise _too_few(entries, count)
        _add(entries, run, named, count)
    return entries


def _add(entries: Entries, run: Run, named: Named, count: int) -> None:
    last = next(reversed(entries.documents), "")
    for index, fields in enumerate(run.fields):
        if fields["revision"] != entries.revision_id:
            raise _too_few(entries, count)
        path = fields["path"]
        if path <= last:
            raise run.fault(index, "entries of a revision come by path; this one is not in order")
        last = path
        entries.documents[path] = named(fields["document_version"])
    entries.runs.append(run)


def _too_few(entries: Entries, count: int) -> BundleFault:
    return BundleFault(
        f"revision {entries.revision_id}: document_count says {count:,}; entries are there"
        f" for {len(entries.documents):,}."
    )


def difference(
    before: Mapping[str, UUID], after: Mapping[str, UUID]
) -> tuple[list[str], dict[str, UUID]]:
    """The paths that are gone, and what is at the paths that differ."""
    gone = [path for path in before if path not in after]
    return gone, {path: after[path] for path in after if before.get(path) != after[path]}
