"""Going through the items of an export that was received, from wherever a batch begins (I1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from memory.importing.faults import BundleFault, name_item
from memory.models import ImportPage

PAGES_AHEAD: Final = 4
"""Pages fetched together, each of a mebibyte at most."""


@dataclass(frozen=True, slots=True)
class Run:
    """Items of one kind in a row, from one page.

    Attributes:
        place: where the first of them stands; None in a whole export, which has no pages.
        fields: what each of them says.
    """

    kind: str
    place: tuple[int, int] | None
    fields: Sequence[dict[str, Any]]

    def fault(self, index: int, sentence: str) -> BundleFault:
        """What is wrong with one of them, as an error that names it."""
        item = {"kind": self.kind, self.kind: self.fields[index]}
        return BundleFault(f"{name_item(self._spell_place(index), item)}: {sentence}.")

    def _spell_place(self, index: int) -> str:
        if self.place is None:
            return "the export"
        page, first = self.place
        return f"page {page}, item {first + index}"


class Reader:
    """Reads items in order, a run at a time. One query for some pages."""

    def __init__(self, store_id: str, page: int, item: int, *, whole: bool) -> None:
        """Begin with an item of a page.

        Args:
            whole: whether the pages were cut from a whole export.
        """
        self.page = page
        self.item = item
        self.taken = 0
        self._store_id = store_id
        self._whole = whole
        self._items: list[dict[str, Any]] | None = None
        self._ahead: dict[int, bytes] = {}

    def peek(self) -> str | None:
        """The kind of the next item; None at the end."""
        while (items := self._load()) is not None:
            if self.item < len(items):
                return str(items[self.item]["kind"])
            self.page, self.item, self._items = self.page + 1, 0, None
        return None

    def take(self, most: int) -> Run | None:
        """The next items of one kind and page, at most `most`; None at the end."""
        kind = self.peek()
        if kind is None:
            return None
        items = self._load() or []
        start = end = self.item
        while end < len(items) and end - start < most and items[end]["kind"] == kind:
            end += 1
        self.item = end
        self.taken += end - start
        place = None if self._whole else (self.page, start)
        return Run(kind, place, [item[kind] for item in items[start:end]])

    def _load(self) -> list[dict[str, Any]] | None:
        if self._items is None:
            if self.page not in self._ahead:
                self._ahead = self._fetch()
            raw = self._ahead.pop(self.page, None)
            self._items = None if raw is None else orjson.loads(raw)
        return self._items

    def _fetch(self) -> dict[int, bytes]:
        pages = ImportPage.objects.filter(store=self._store_id, ordinal__gte=self.page)
        rows = pages.order_by("ordinal").values_list("ordinal", "items")
        return {ordinal: bytes(items) for ordinal, items in rows[:PAGES_AHEAD]}
