"""A merged text as table rows, for somebody who has to decide what both sides changed."""

from collections.abc import Iterator
from itertools import count

from django.utils.safestring import SafeString

from console.drawing.visible import visible_text
from memory.documents.texts import lines_of
from memory.merging.lines import MergedText, Stretch

AROUND = 3
"""Lines of what is not contested, shown before and after each conflict."""

_COLUMNS = '<col class="sg"><col>'


def conflict_table(merged: MergedText) -> SafeString:
    """What is contested, canonical's lines first, with a few lines around it."""
    body = "".join(_rows(merged))
    head = f'<table class="code diff"><colgroup>{_COLUMNS}</colgroup>'
    return SafeString(f"{head}<tbody>{body}</tbody></table>")


def _rows(merged: MergedText) -> Iterator[str]:
    numbers = count(1)
    last = len(merged.stretches) - 1
    for place, stretch in enumerate(merged.stretches):
        if stretch.is_contested:
            yield from _contested(stretch, next(numbers), merged.conflicts)
        else:
            yield from _around(lines_of(stretch.canonical), first=not place, last=place == last)


def _contested(stretch: Stretch, number: int, conflicts: int) -> Iterator[str]:
    yield _head(f"Conflict {number} of {conflicts}: canonical has", starts=True)
    yield from _side(stretch.canonical, "theirs")
    yield _head(f"Conflict {number} of {conflicts}: this Proposal has")
    yield from _side(stretch.proposed, "ours")


def _side(text: str, css: str) -> Iterator[str]:
    lines = lines_of(text)
    if not lines:
        yield f'<tr><td class="sg {css}"></td><td class="tx {css}"><i>nothing</i></td></tr>\n'
    for line in lines:
        yield _row(line, css)


def _around(lines: list[str], *, first: bool, last: bool) -> Iterator[str]:
    """The lines next to conflicts; what lies between is only counted."""
    before, after = (0 if first else AROUND), (0 if last else AROUND)
    hidden = len(lines) - before - after
    if hidden <= 1:
        yield from (_row(line) for line in lines)
        return
    yield from (_row(line) for line in lines[:before])
    yield _head(f"{hidden:,} lines that are not contested")
    yield from (_row(line) for line in lines[len(lines) - after :])


def _head(words: str, *, starts: bool = False) -> str:
    marks = " data-change-start" if starts else ""
    return f'<tr class="choice-head"{marks}><td class="sg"></td><td class="tx">{words}</td></tr>\n'


def _row(line: str, css: str = "") -> str:
    text = visible_text(line.rstrip("\n"), ())
    sign = {"theirs": "C", "ours": "P"}.get(css, "")
    return f'<tr><td class="sg {css}">{sign}</td><td class="tx {css}">{text}</td></tr>\n'
