"""How a page shows its diffs: what the address asks for, and what it remembers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest
from django.utils.http import urlencode

from memory.diffs.lines import Gap, Opened
from memory.documents.paths import PathError, parse_path
from wire.errors import Malformed

LAYOUTS: Final = ("unified", "split")
LAYOUT_COOKIE: Final = "diff"
VIEWS: Final = ("source", "rendered")
SPACES: Final = ("shown", "ignored")
STEP: Final = 20
"""Unchanged lines that one step brings into view."""
MOST_LOADED: Final = 20
"""Files that a page shows in full because its address asks for them."""

_GAPS: Final = re.compile(r"\d{1,5}:\d{1,7}:\d{1,7}(?:,\d{1,5}:\d{1,7}:\d{1,7}){0,199}")


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """How diffs are shown.

    Attributes:
        layout: one line a row, or the old text beside the new one.
        ignores_space: whether lines that differ only in white space pass for unchanged.
        renders: whether Markdown is shown rendered, too, beside its source.
        loaded: paths that a page shows in full.
        opened: unchanged lines that a file shows besides, by the number of their gap.
    """

    layout: str = LAYOUTS[0]
    ignores_space: bool = False
    renders: bool = False
    loaded: frozenset[str] = frozenset()
    opened: Mapping[int, Opened] = field(default_factory=dict)

    @property
    def query(self) -> str:
        """What an address carries along for another page to show diffs alike."""
        chosen = {
            "layout": self.layout,
            "space": SPACES[1] if self.ignores_space else "",
            "view": VIEWS[1] if self.renders else "",
        }
        return urlencode({name: value for name, value in chosen.items() if value})

    def with_gap(self, gap: Gap, opened: Opened) -> str:
        """The gaps as an address spells them, once one of them is opened so far."""
        gaps = {**self.opened, gap.number: opened}
        return ",".join(f"{number}:{each.above}:{each.below}" for number, each in gaps.items())

    def alone(self) -> "DiffOptions":
        """For a text of one side: there is nothing to stand beside it."""
        return replace(self, layout=LAYOUTS[0])


DEFAULT: Final = DiffOptions()


def options_of(request: HttpRequest) -> DiffOptions:
    """What the address asks for; the layout, when it does not say, as it was chosen last.

    Raises:
        Malformed: the files to load or the gaps to open are not as addresses spell them.
    """
    asked = request.GET
    layout = asked.get("layout") or request.COOKIES.get(LAYOUT_COOKIE)
    return DiffOptions(
        layout=layout if layout in LAYOUTS else LAYOUTS[0],
        ignores_space=asked.get("space") == SPACES[1],
        renders=asked.get("view") == VIEWS[1],
        loaded=paths_in(asked.getlist("load")),
        opened=_opened(asked.get("gaps", "")),
    )


def paths_in(texts: list[str]) -> frozenset[str]:
    """The paths of files that were loaded. Raises Malformed."""
    if len(texts) > MOST_LOADED:
        raise Malformed(f"load: {MOST_LOADED} files at most.")
    try:
        return frozenset(map(parse_path, texts))
    except PathError as error:
        raise Malformed(f"load: {error}.") from error


def _opened(text: str) -> dict[int, Opened]:
    if not text:
        return {}
    if not _GAPS.fullmatch(text):
        raise Malformed("gaps: the number of a gap and two counts of lines, such as 1:20:0.")
    numbers = (tuple(map(int, each.split(":"))) for each in text.split(","))
    return {number: Opened(above, below) for number, above, below in numbers}


def remember_layout(request: HttpRequest, response: Any) -> None:
    """Keep a layout that the address asked for, for the next diff."""
    chosen = request.GET.get("layout")
    if chosen in LAYOUTS:
        response.set_cookie(
            LAYOUT_COOKIE,
            chosen,
            max_age=31_536_000,
            secure=settings.SECURE_COOKIES,
            httponly=True,
            samesite="Lax",
        )
