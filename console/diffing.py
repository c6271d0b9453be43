"""Diffs ready to be drawn: one component for Proposals, versions and comparisons.

A page shows what a person can read and says exactly what it does not show; every file that is
held back has an address of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from uuid import UUID

from django.http import HttpRequest

from console.visible import visible_text
from memory.diffs import Counts, Hunk, Line, LineKind, TextDiff, compare, count_lines, split_rows
from memory.queries.diffs import Sides, sides_of, tree_diff
from memory.queries.documents import Erasure
from memory.textsafety import counts
from memory.treediffs import PathChange, Status
from memory.treehash import content_sha256
from memory.treepages import TreeEntry
from wire.ids import id_from_uuid

PAGE_BYTES: Final = 2 * 1024 * 1024
"""Texts, both sides together, that one page loads."""
PAGE_LINES: Final = 4_000
FILE_LINES: Final = 800
ALONE_LINES: Final = 20_000
"""Lines of hunks that one page, one file on it, and a file on a page of its own show."""

LETTERS = {Status.ADDED: "A", Status.MODIFIED: "M", Status.DELETED: "D", Status.RENAMED: "R"}
LAYOUTS = ("unified", "split")
LAYOUT_COOKIE = "diff"

_CSS = {LineKind.CONTEXT: "", LineKind.ADDED: "add", LineKind.REMOVED: "del"}
_SIGNS = {LineKind.CONTEXT: "", LineKind.ADDED: "+", LineKind.REMOVED: "\N{MINUS SIGN}"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One side of a row; `css` is none where that side has no line."""

    css: str
    number: int | None = None
    sign: str = ""
    html: str = ""
    crlf: bool = False
    no_newline: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row of either layout: unified ones take the text from `right`, old numbers from `left`.

    Attributes:
        starts: whether a run of changed lines begins here.
        same: whether both sides are one unchanged line.
    """

    left: Cell
    right: Cell
    starts: bool
    same: bool


@dataclass(frozen=True)
class FileDiff:
    """One changed path as the page shows it.

    Attributes:
        number: its place in the diff, from 1; names its anchor.
        sides: both texts, None when the page's budget was spent before it.
        lines_left: how many lines of hunks the page may still show.
    """

    number: int
    change: PathChange
    sides: Sides | None
    lines_left: int = FILE_LINES

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
    def texts(self) -> list[tuple[TreeEntry | None, str | None]]:
        """Both entries with the text that was loaded for each."""
        if self.sides is None:
            return []
        return [
            (self.change.before, self.sides.before),
            (self.change.after, self.sides.after),
        ]

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
        return count_lines(self.sides.before or "", self.sides.after or "")

    @cached_property
    def diff(self) -> TextDiff | None:
        """The hunks, as many as may be shown; None when there is nothing to show."""
        if self.sides is None or self.erasures or self.lines_left <= 0:
            return None
        return compare(self.sides.before or "", self.sides.after or "", max_lines=self.lines_left)

    @property
    def shown_lines(self) -> int:
        return sum(len(hunk.lines) for hunk in self.diff.hunks) if self.diff else 0

    @property
    def is_held_back(self) -> bool:
        """Whether the page shows less than all of the change."""
        if self.erasures:
            return False
        return self.diff is None or bool(self.diff.omitted.lines)

    @cached_property
    def hidden_characters(self) -> int:
        """Characters on the new side that draw nothing or turn the reading order."""
        text = self.sides.after if self.sides else None
        return sum(n for kind, n in counts(text).items() if kind.hidden) if text else 0

    @cached_property
    def lookalikes(self) -> int:
        """Letters on the new side that stand in a word of another script."""
        text = self.sides.after if self.sides else None
        return sum(n for kind, n in counts(text).items() if not kind.hidden) if text else 0

    def unified(self) -> Iterator[tuple[Hunk, list[Row]]]:
        """Each hunk with its rows, one line a row."""
        for hunk in self.diff.hunks if self.diff else ():
            yield hunk, list(_unified_rows(hunk))

    def split(self) -> Iterator[tuple[Hunk, list[Row]]]:
        """Each hunk with its rows, old beside new."""
        for hunk in self.diff.hunks if self.diff else ():
            yield hunk, list(_split_rows(hunk))


@dataclass(frozen=True)
class Diff:
    """What changed between two versions, file by file."""

    base: str
    head: str
    changes: Sequence[PathChange]
    files: Sequence[FileDiff]

    @property
    def totals(self) -> Counts:
        """Lines added and removed in the files that were looked at."""
        known = [file.counts for file in self.files if file.counts]
        return Counts(sum(each.added for each in known), sum(each.removed for each in known))

    @property
    def uncounted(self) -> int:
        """Files whose lines are not in `totals`."""
        return sum(file.counts is None for file in self.files)

    @property
    def held_back(self) -> int:
        """Files of which the page does not show everything."""
        return sum(file.is_held_back for file in self.files)

    @property
    def hidden_characters(self) -> int:
        return sum(file.hidden_characters for file in self.files)

    @property
    def lookalikes(self) -> int:
        return sum(file.lookalikes for file in self.files)

    @property
    def body_ids(self) -> list[str]:
        """The bodies that the page releases, for the publication recheck (contract R5)."""
        return [
            id_from_uuid("document", entry.document_version)
            for file in self.files
            for entry, text in file.texts
            if entry is not None and text is not None
        ]

    def tree(self) -> list[tuple[str, list[FileDiff]]]:
        """The files by directory, in the order of the diff."""
        grouped: dict[str, list[FileDiff]] = {}
        for file in self.files:
            grouped.setdefault(file.change.path.rpartition("/")[0] + "/", []).append(file)
        return list(grouped.items())


def load_diff(base: str, head: str) -> Diff:
    """Compare two versions of a store, showing as much as one page can."""
    changes = tree_diff(base, head)
    affordable = _affordable(changes)
    sides = sides_of(changes[:affordable])
    files: list[FileDiff] = []
    left = PAGE_LINES
    for number, change in enumerate(changes, start=1):
        loaded = sides[number - 1] if number <= affordable else None
        file = FileDiff(number, change, loaded, min(left, FILE_LINES))
        left -= file.shown_lines
        files.append(file)
    return Diff(base, head, changes, files)


def load_file(base: str, head: str, path: str) -> Diff:
    """Compare one path of two versions, in full. `files` is empty when it did not change."""
    changes = tree_diff(base, head)
    files = [
        FileDiff(number, change, sides_of([change])[0], ALONE_LINES)
        for number, change in enumerate(changes, start=1)
        if change.path == path
    ]
    return Diff(base, head, changes, files)


def preview_file(path: str, before: str | None, after: str | None) -> FileDiff:
    """The difference that a text in a form would make, before anything is sealed."""
    change = PathChange(
        Status.ADDED if before is None else Status.DELETED if after is None else Status.MODIFIED,
        _unsealed(path, before),
        _unsealed(path, after),
    )
    return FileDiff(1, change, Sides(before, after, None, None), ALONE_LINES)


def _unsealed(path: str, text: str | None) -> TreeEntry | None:
    if text is None:
        return None
    raw = text.encode()
    return TreeEntry(path, UUID(int=0), content_sha256(raw), "", len(raw))


def _affordable(changes: Sequence[PathChange]) -> int:
    """How many changes, from the first, have texts that fit the page's budget."""
    spent = 0
    for number, change in enumerate(changes):
        spent += FileDiff(number, change, None).loaded_bytes
        if spent > PAGE_BYTES:
            return number
    return len(changes)


def layout_of(request: HttpRequest) -> str:
    """The layout that the address asks for, else the one chosen last, else unified."""
    chosen = request.GET.get("layout") or request.COOKIES.get(LAYOUT_COOKIE)
    return chosen if chosen in LAYOUTS else LAYOUTS[0]


def remember_layout(request: HttpRequest, response: Any) -> None:
    """Keep a layout that the address asked for, for the next diff."""
    chosen = request.GET.get("layout")
    if chosen in LAYOUTS:
        response.set_cookie(
            LAYOUT_COOKIE, chosen, max_age=31_536_000, httponly=True, samesite="Lax"
        )


def _unified_rows(hunk: Hunk) -> Iterator[Row]:
    changing = False
    for line in hunk.lines:
        changed = line.kind is not LineKind.CONTEXT
        yield Row(
            left=Cell("", line.old_number),
            right=_cell(line, line.new_number),
            starts=changed and not changing,
            same=not changed,
        )
        changing = changed


def _split_rows(hunk: Hunk) -> Iterator[Row]:
    changing = False
    for left, right in split_rows(hunk):
        changed = left is not right
        yield Row(
            left=_cell(left, left.old_number) if left else Cell("none"),
            right=_cell(right, right.new_number) if right else Cell("none"),
            starts=changed and not changing,
            same=not changed,
        )
        changing = changed


def _cell(line: Line, number: int | None) -> Cell:
    return Cell(
        css=_CSS[line.kind],
        number=number,
        sign=_SIGNS[line.kind],
        html=visible_text(line.text, line.ranges),
        crlf=line.crlf and line.kind is not LineKind.CONTEXT,
        no_newline=line.no_newline,
    )
