"""The place in a text that answers a query, made when it is shown, kept nowhere (contract Q1)."""

from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from memory.search.words import Piece, runs

LEAD: Final = 60
"""Characters before the first hit that is shown."""
LENGTH: Final = 240
"""Characters of a snippet at most."""
MOST_HITS: Final = 400
"""Hits that are looked at, so that a long text of one word takes no longer than others."""


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
    for run in runs(text):
        pieces = [*run.pieces, *run.pairs, *([run.whole] if run.whole else [])]
        yield from (piece for piece in sorted(pieces, key=_place) if piece.lexeme in lexemes)


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
