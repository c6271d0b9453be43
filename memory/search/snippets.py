"""The place in a text that answers a query, made when it is shown, kept nowhere (contract Q1)."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from memory.search.words import Piece, fold, runs

LEAD: Final = 60
"""Characters before the first hit that is shown."""
LENGTH: Final = 240
"""Characters of a snippet at most."""
MOST_HITS: Final = 400
"""Hits that are looked at, so that a long text of one word takes no longer than others."""
STRETCH: Final = 1_024
"""Characters that are looked through at once for anything like a word of the query."""
MOST_READ: Final = 16 * STRETCH
"""Characters that are read word by word, so that a page of long texts takes no longer than others.

What is only like a word of the query, as a letter within others is, counts in. A text whose words
come late behind much of that is shown from its beginning.
"""

_STRETCH: Final = re.compile(
    rf"(?s:.{{0,{STRETCH - 1}}})[\s!-/:-@\[-`{{-~\u3001-\u3003\u3008-\u3020\uff01-\uff0f]|"
    rf"(?s:.{{1,{STRETCH}}})"
)
"""As much as possible up to a blank or a mark, which ends a word; else in the middle of one."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a document's text, exactly as it stands there.

    Attributes:
        line: the line of the document, from 1, in which the first highlight stands.
        highlights: the ranges of `text` that match, in code points; sorted, and none overlaps.
    """

    text: str
    line: int
    highlights: tuple[tuple[int, int], ...]


def snippet(text: str, lexemes: Collection[str]) -> Snippet:
    """Cut the place where most of the words stand together; without a hit, the beginning."""
    hits = list(islice(_hits(text, lexemes), MOST_HITS))
    start, end = _window(text, hits)
    inside = [(max(hit.start, start), min(hit.end, end)) for hit in hits]
    shown = _joined([(first - start, last - start) for first, last in inside if first < last])
    first_hit = start + (shown[0][0] if shown else 0)
    return Snippet(text[start:end], text.count("\n", 0, first_hit) + 1, tuple(shown))


def _hits(text: str, lexemes: Collection[str]) -> Iterator[Piece]:
    """The places where one of the words stands, as far as `MOST_READ` characters lead."""
    left = MOST_READ
    for stretch in _STRETCH.finditer(text):
        if not _is_like_one(stretch[0], lexemes):
            continue
        left -= len(stretch[0])
        if left < 0:
            return
        yield from _hits_in(stretch[0], stretch.start(), lexemes)


def _is_like_one(stretch: str, lexemes: Collection[str]) -> bool:
    """Whether a stretch can hold one of the words: a quick question that most answer by no.

    Folding a stretch can join what are characters of their own in a script without spaces.
    """
    folded = fold(stretch)
    return any(lexeme in folded or lexeme in stretch for lexeme in lexemes)


def _hits_in(stretch: str, offset: int, lexemes: Collection[str]) -> Iterator[Piece]:
    for run in runs(stretch):
        pieces = [*run.pieces, *run.pairs, *([run.whole] if run.whole else [])]
        for piece in sorted(pieces, key=_place):
            if piece.lexeme in lexemes:
                yield Piece(piece.lexeme, piece.start + offset, piece.end + offset)


def _place(piece: Piece) -> tuple[int, int]:
    return piece.start, piece.end


def _window(text: str, hits: list[Piece]) -> tuple[int, int]:
    """The range to show: from a little before the best hit, cut between words."""
    best = max(range(len(hits)), key=lambda at: (_together(hits, at), -at), default=None)
    if best is None:
        return 0, _cut_back(text, LENGTH)
    start = _cut_ahead(text, max(0, hits[best].start - LEAD), hits[best].start)
    return start, max(_cut_back(text, start + LENGTH), min(hits[best].end, start + LENGTH))


def _together(hits: list[Piece], at: int) -> int:
    """How many different words stand in a window that begins before a hit."""
    end = bisect_left(hits, hits[at].start + LENGTH - LEAD, key=lambda hit: hit.start)
    return len({hit.lexeme for hit in hits[at:end]})


def _cut_ahead(text: str, start: int, most: int) -> int:
    """A place at `start` or behind it where no word is cut, but not behind `most`."""
    if start == 0:
        return 0
    while start < most and not text[start - 1].isspace():
        start += 1
    return start


def _cut_back(text: str, end: int) -> int:
    """A place before `end` where no word is cut, if there is one near."""
    if end >= len(text):
        return len(text)
    nearest = max(text.rfind(blank, end - LEAD, end) for blank in " \n")
    return nearest if nearest > 0 else end


def _joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges sorted by their start, with those that touch or overlap made one."""
    joined: list[tuple[int, int]] = []
    for start, end in ranges:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
