"""What changed inside a line: which removed line became which added one, and which words.

Only ever a help to the eye, so it gives up early: very different lines get no ranges, long ones
get only what lies between their equal ends, and a diff that has spent its effort gets no more.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from memory.diffs.alignment import Block, changed_blocks

Range = tuple[int, int]
"""Code points start..end (end excluded) of a line's text."""

_MAX_WORD_LINE: Final = 1_000  # characters; longer lines are compared from their ends only
_MAX_CANDIDATES: Final = 400  # pairs of lines looked at in one block
_PAIR_EFFORT: Final = 100  # what a pair costs however short it is, in characters
_ALIKE: Final = 0.4  # share of equal text from which two lines count as one line changed

# A word; a run of blanks; one ideograph, kana or syllable; or one other character.
_SYLLABLE: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN: Final = re.compile(rf"(?:(?![{_SYLLABLE}])[\w\u0300-\u036f])+|\s+|.", re.DOTALL)


class Pair(NamedTuple):
    """A removed and an added line, by their place in the block, that show one line changed."""

    removed: int
    added: int


class Effort:
    """How much comparing inside lines one diff may still do, in characters."""

    def __init__(self, characters: int = 200_000) -> None:
        self._left = characters

    def spend(self, characters: int) -> bool:
        """Take so many characters off what is left; False when that is not enough."""
        self._left -= characters
        return self._left >= 0


def pair_lines(removed: Sequence[str], added: Sequence[str], effort: Effort) -> list[Pair]:
    """Pair the removed lines of a block with its added ones, both in ascending order.

    As many of one as of the other are paired in order. Otherwise each removed line takes the
    first line, after the one last taken, that is alike; where that is too much to look at,
    lines are paired in order as far as they go.
    """
    candidates = len(removed) * len(added)
    if len(removed) == len(added) or candidates > _MAX_CANDIDATES:
        return [Pair(index, index) for index in range(min(len(removed), len(added)))]
    if not effort.spend(sum(map(len, removed)) + sum(map(len, added)) + candidates):
        return []
    return list(_pair_alike([_words(line) for line in removed], [_words(line) for line in added]))


def changed_ranges(
    old: str, new: str, effort: Effort
) -> tuple[tuple[Range, ...], tuple[Range, ...]]:
    """The parts of two paired lines that differ; none when hardly anything is equal.

    Ranges are sorted, apart, and never empty.
    """
    if old == new or not effort.spend(len(old) + len(new) + _PAIR_EFFORT):
        return (), ()
    if len(old) + len(new) > 2 * _MAX_WORD_LINE:
        return _between_equal_ends(old, new)
    return _changed_words(_TOKEN.findall(old), _TOKEN.findall(new))


def _words(line: str) -> frozenset[str]:
    return frozenset(token for token in _TOKEN.findall(line) if not token.isspace())


def _pair_alike(
    removed: Sequence[frozenset[str]], added: Sequence[frozenset[str]]
) -> Iterator[Pair]:
    start = 0
    for index, words in enumerate(removed):
        for candidate in range(start, len(added)):
            if _are_alike(words, added[candidate]):
                yield Pair(index, candidate)
                start = candidate + 1
                break


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _ALIKE * max(len(one), len(other), 1)


def _between_equal_ends(old: str, new: str) -> tuple[tuple[Range, ...], tuple[Range, ...]]:
    head = _common_length(old, new)
    tail = _common_length(old[head:][::-1], new[head:][::-1])
    if head + tail < _ALIKE * max(len(old), len(new)):
        return (), ()
    return _range(head, len(old) - tail), _range(head, len(new) - tail)


def _common_length(old: Sequence[str], new: Sequence[str]) -> int:
    differing = (
        index for index, (one, other) in enumerate(zip(old, new, strict=False)) if one != other
    )
    return next(differing, min(len(old), len(new)))


def _range(start: int, end: int) -> tuple[Range, ...]:
    return ((start, end),) if start < end else ()


def _changed_words(
    old: Sequence[str], new: Sequence[str]
) -> tuple[tuple[Range, ...], tuple[Range, ...]]:
    blocks = _join_over_blanks(old, _word_blocks(old, new))
    kept = _weight(old) - sum(_weight(old[each.old_start : each.old_end]) for each in blocks)
    if kept < _ALIKE * max(_weight(old), _weight(new)):
        return (), ()
    return (
        _offsets(old, [(each.old_start, each.old_end) for each in blocks]),
        _offsets(new, [(each.new_start, each.new_end) for each in blocks]),
    )


def _word_blocks(old: Sequence[str], new: Sequence[str]) -> Iterator[Block]:
    """What differs between the equal ends: most pairs of lines differ in one place."""
    head = _common_length(old, new)
    tail = _common_length(old[head:][::-1], new[head:][::-1])
    left, right = old[head : len(old) - tail], new[head : len(new) - tail]
    if not left or not right:
        yield Block(head, head + len(left), head, head + len(right))
        return
    words = ([word.encode() for word in side] for side in (left, right))
    for block in changed_blocks(*words):
        yield Block(*(place + head for place in block))


def _join_over_blanks(old: Sequence[str], blocks: Iterable[Block]) -> list[Block]:
    """Make one block of two with nothing but blanks between: it reads as one change."""
    joined: list[Block] = []
    for block in blocks:
        if joined and not _weight(old[joined[-1].old_end : block.old_start]):
            last = joined.pop()
            block = Block(last.old_start, block.old_end, last.new_start, block.new_end)  # noqa: PLW2901
        joined.append(block)
    return joined


def _weight(tokens: Sequence[str]) -> int:
    """How much of it is not blank."""
    return sum(map(len, "".join(tokens).split()))


def _offsets(tokens: Sequence[str], spans: Sequence[Range]) -> tuple[Range, ...]:
    position = [0, *accumulate(map(len, tokens))]
    return tuple((position[start], position[end]) for start, end in spans if start < end)
