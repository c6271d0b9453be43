"""Diffs ready to be drawn: one component for Proposals, versions and comparisons.

A page shows what a person can read and says exactly what it does not show; every file that is
held back has an address of its own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final
from uuid import UUID

from console.drawing.diffoptions import DEFAULT, DiffOptions
from console.drawing.difftables import NOTHING, Beside, Opens, Table, split_table, unified_table
from console.drawing.linenotes import Notes, notes_on
from memory.diffs.lines import Counts, TextDiff, compare, count_lines
from memory.documents.mediatypes import MARKDOWN
from memory.queries.diffs import Sides, sides_of, tree_diff
from memory.queries.documents import Erasure
from memory.queries.erased import redacted_paths
from memory.textsafety.scanning import Scan, scan
from memory.textsafety.secrets import Budget
from memory.trees.diffs import PathChange, Status
from memory.trees.editing import TreeEntry
from memory.trees.hashing import content_sha256
from wire.ids import id_from_uuid
from wire.times import earliest

PAGE_BYTES: Final = 2 * 1024 * 1024
"""Texts, both sides together, that one page loads."""
PAGE_FILES: Final = 300
"""Changed files that one page shows; it names the rest."""
PAGE_LINES: Final = 4_000
FILE_LINES: Final = 800
ALONE_LINES: Final = 20_000
"""Lines of hunks that one page, one file on it, and a file on a page of its own show."""

RENDERED_BYTES: Final = 64_000
"""Markdown, both sides together, that one page renders: texts made for it take 5 µs a byte."""

SEARCH_SECONDS: Final = 0.15
"""How long the texts of a page are searched for secrets, all together."""

LETTERS = {Status.ADDED: "A", Status.MODIFIED: "M", Status.DELETED: "D", Status.RENAMED: "R"}


@dataclass(frozen=True)
class FileDiff:
    """One changed path as the page shows it.

    Attributes:
        number: its place in the diff, from 1; names its anchor.
        sides: both texts, None when the page's budget was spent before it.
        lines_left: how many lines of hunks the page may still show.
        is_redacted: whether a redaction took it away, and nobody deleted it.
        budget: time for looking the new text over; its own when left out.
        options: how it is shown.
        bytes_left: how much Markdown the page may still render.
    """

    number: int
    change: PathChange
    sides: Sides | None
    lines_left: int = FILE_LINES
    is_redacted: bool = False
    budget: Budget | None = None
    options: DiffOptions = DEFAULT
    bytes_left: int = RENDERED_BYTES

    @property
    def anchor(self) -> str:
        return f"file-{self.number}"

    @property
    def letter(self) -> str:
        return LETTERS[self.change.status]

    @property
    def loaded_bytes(self) -> int:
        """The size of both sides."""
        entries = (self.change.before, self.change.after)
        return sum(entry.size for entry in entries if entry is not None)

    @property
    def is_markdown(self) -> bool:
        """Whether either side is read as a page rather than as lines."""
        entries = (self.change.before, self.change.after)
        return any(entry is not None and entry.media_type == MARKDOWN for entry in entries)

    @property
    def is_too_long_to_render(self) -> bool:
        """Whether the page renders no Markdown as long as this, or has spent itself before."""
        return self.loaded_bytes > self.bytes_left

    @property
    def texts(self) -> list[tuple[TreeEntry | None, str | None]]:
        """Both entries with the text that was loaded for each."""
        if self.sides is None:
            return []
        return [
            (self.change.before, self.sides.before),
            (self.change.after, self.sides.after),
        ]

    @property
    def has_both_sides(self) -> bool:
        """Whether there is something on either side; else one column shows all of it."""
        return self.change.before is not None and self.change.after is not None

    @property
    def media_types(self) -> tuple[str, str] | None:
        """Both media types when they differ."""
        before, after = self.change.before, self.change.after
        if before is None or after is None or before.media_type == after.media_type:
            return None
        return before.media_type, after.media_type

    @property
    def erasures(self) -> list[tuple[str, Erasure]]:
        """The sides whose body is gone, by name."""
        if self.sides is None:
            return []
        both = (("before", self.sides.before_erased), ("after", self.sides.after_erased))
        return [(name, erasure) for name, erasure in both if erasure is not None]

    @cached_property
    def counts(self) -> Counts | None:
        """Lines added and removed; None when the page did not look, or cannot."""
        if self.sides is None or self.erasures:
            return None
        if self.diff and not self.options.ignores_space:
            return Counts(self.diff.added, self.diff.removed)
        return count_lines(self.sides.before or "", self.sides.after or "")

    @cached_property
    def diff(self) -> TextDiff | None:
        """The hunks, as many as may be shown; None when there is nothing to show."""
        if self.sides is None or self.erasures or self.lines_left <= 0:
            return None
        return compare(
            self.sides.before or "",
            self.sides.after or "",
            ignore_whitespace=self.options.ignores_space,
            max_lines=self.lines_left,
            opened=self.options.opened,
        )

    @property
    def shown_lines(self) -> int:
        return sum(len(hunk.lines) for hunk in self.diff.hunks) if self.diff else 0

    @property
    def is_loaded(self) -> bool:
        """Whether it was asked for in full."""
        return self.lines_left == ALONE_LINES

    @property
    def is_held_back(self) -> bool:
        """Whether the page shows less than all of the change."""
        if self.erasures:
            return False
        return self.diff is None or bool(self.diff.omitted.lines)

    @property
    def is_lines_alone(self) -> bool:
        """Whether its lines say all there is to say, as those of most files do."""
        if self.diff is None or not self.diff.hunks or self.diff.hidden or self.options.renders:
            return False
        return not (self.is_loaded or self.is_held_back or self.media_types)

    @cached_property
    def scan(self) -> Scan | None:
        """What the new text holds that a reviewer may miss; None when there is none to look at."""
        text = self.sides.after if self.sides else None
        return None if text is None else scan(text, self.budget)

    @property
    def is_unread(self) -> bool:
        """Whether it has a new text that the page did not load."""
        return self.sides is None and self.change.after is not None

    @cached_property
    def shown_numbers(self) -> frozenset[int]:
        """The lines of the new text that the hunks show."""
        lines = (line for hunk in self.diff.hunks for line in hunk.lines) if self.diff else ()
        return frozenset(line.new_number for line in lines if line.new_number)

    def line_anchor(self, number: int) -> str:
        """The name of a line of the new text, where something was found in it."""
        return f"{self.anchor}-L{number}"

    @property
    def _notes(self) -> Notes:
        return notes_on(self.scan, self.line_anchor) if self.scan else {}

    def table(self, beside: Beside = NOTHING, opens: Opens | None = None) -> str:
        """The hunks as a table: old beside new where there are both, or one line a row.

        Args:
            opens: where a step into a gap leads to; None leaves gaps closed.
        """
        if self.diff is None:
            return ""
        is_split = self.options.layout == "split" and self.has_both_sides
        draw = split_table if is_split else unified_table
        return draw(Table(self.diff, beside, self._notes, opens))


@dataclass(frozen=True)
class Diff:
    """What changed between two versions, file by file.

    Attributes:
        files: those that the page shows.
        rest: those that it only names.
    """

    base: str
    head: str
    changes: Sequence[PathChange]
    files: Sequence[FileDiff]
    rest: Sequence[FileDiff] = ()

    @property
    def totals(self) -> Counts:
        """Lines added and removed in the files that were looked at."""
        known = [file.counts for file in self.files if file.counts]
        return Counts(sum(each.added for each in known), sum(each.removed for each in known))

    @property
    def uncounted(self) -> int:
        """Files whose lines are not in `totals`."""
        return sum(file.counts is None for file in self.files) + len(self.rest)

    @property
    def held_back(self) -> int:
        """Files of which the page does not show everything."""
        return len(self.held_back_paths)

    @property
    def hidden_lines(self) -> int:
        """Lines that differ only in white space, which the page takes for unchanged."""
        return sum(file.diff.hidden for file in self.files if file.diff)

    @property
    def held_back_paths(self) -> list[str]:
        """The paths of the files of which the page does not show everything."""
        return [file.change.path for file in (*self.files, *self.rest) if file.is_held_back]

    @property
    def body_ids(self) -> list[str]:
        """The bodies that the page releases, for the publication recheck (contract R5)."""
        return [
            id_from_uuid("document", entry.document_version)
            for file in self.files
            for entry, text in file.texts
            if entry is not None and text is not None
        ]

    @property
    def expires_at(self) -> datetime | None:
        """The earliest ceiling of those bodies."""
        return earliest(file.sides.expires_at for file in self.files if file.sides)

    def tree(self) -> list[tuple[str, list[FileDiff]]]:
        """The files by directory, in the order of the diff."""
        grouped: dict[str, list[FileDiff]] = {}
        for file in self.files:
            grouped.setdefault(file.change.path.rpartition("/")[0] + "/", []).append(file)
        return list(grouped.items())


def load_diff(base: str, head: str, options: DiffOptions = DEFAULT) -> Diff:
    """Compare two versions of a store, showing as much as one page can."""
    return draw_diff(base, head, tree_diff(base, head), options)


def draw_diff(
    base: str, head: str, changes: Sequence[PathChange], options: DiffOptions = DEFAULT
) -> Diff:
    """Show as much of some changes as one page can, and in full what it was asked to load.

    Args:
        base, head: where each changed path can be looked at before and after.
    """
    redacted = redacted_in(head, changes)
    loading = {number for number, each in enumerate(changes) if each.path in options.loaded}
    wanted = sorted(loading.union(range(_affordable(changes))))
    sides = dict(zip(wanted, sides_of([changes[number] for number in wanted]), strict=True))
    files: list[FileDiff] = []
    rest: list[FileDiff] = []
    left, bytes_left, budget = PAGE_LINES, RENDERED_BYTES, Budget(SEARCH_SECONDS)
    for number, change in enumerate(changes):
        lines = ALONE_LINES if number in loading else min(left, FILE_LINES)
        is_redacted = change.path in redacted
        file = FileDiff(
            number + 1, change, sides.get(number), lines, is_redacted, budget, options, bytes_left
        )
        if file.is_markdown and not file.is_too_long_to_render:
            bytes_left -= file.loaded_bytes
        if number < PAGE_FILES or number in loading:
            left -= 0 if number in loading else file.shown_lines
            files.append(file)
        else:
            rest.append(file)
    return Diff(base, head, changes, files, rest)


def load_file(base: str, head: str, path: str, options: DiffOptions = DEFAULT) -> Diff:
    """Compare one path of two versions, in full. `files` is empty when it did not change."""
    changes = tree_diff(base, head)
    redacted = redacted_in(head, [change for change in changes if change.path == path])
    files = [
        FileDiff(
            number,
            change,
            sides_of([change])[0],
            ALONE_LINES,
            path in redacted,
            options=options,
        )
        for number, change in enumerate(changes, start=1)
        if change.path == path
    ]
    return Diff(base, head, changes, files)


def redacted_in(head: str, changes: Iterable[PathChange]) -> set[str]:
    """The paths that a difference shows as deleted, and that a redaction took."""
    deleted = [change.path for change in changes if change.status is Status.DELETED]
    return redacted_paths(head, deleted)


def preview_file(
    path: str, before: str | None, after: str | None, options: DiffOptions = DEFAULT
) -> FileDiff:
    """The difference that a text in a form would make, before anything is sealed."""
    change = PathChange(
        Status.ADDED if before is None else Status.DELETED if after is None else Status.MODIFIED,
        _unsealed(path, before),
        _unsealed(path, after),
    )
    sides = Sides(before, after, None, None)
    return FileDiff(1, change, sides, ALONE_LINES, options=options)


def _unsealed(path: str, text: str | None) -> TreeEntry | None:
    if text is None:
        return None
    raw = text.encode()
    return TreeEntry(path, UUID(int=0), content_sha256(raw), "", len(raw))


def _affordable(changes: Sequence[PathChange]) -> int:
    """How many changes, from the first, have texts that fit the page's budget."""
    spent = 0
    for number, change in enumerate(changes[:PAGE_FILES]):
        spent += FileDiff(number, change, None).loaded_bytes
        if spent > PAGE_BYTES:
            return number
    return min(len(changes), PAGE_FILES)
