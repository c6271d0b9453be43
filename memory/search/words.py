"""What counts as a word in a document, a path and a query (contract Q1).

A run of letters and digits is a word. Where its case or its digits suggest parts (`getUserName`,
`sha256`), each part is a word too; `_ - . /` and the like only separate. Scripts written without
spaces have no words to cut at, so there each character and each pair of neighbours counts.
All of it is folded, so that neither case nor width nor ligatures matter. Nothing here depends on
a locale, and what is found in a text depends on that text alone.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import Final, NamedTuple

LONGEST_WORD: Final = 255
"""Bytes of a folded word; what is longer counts in its parts, or not at all."""

MOST_PARTS: Final = 12
"""An identifier of more parts is a code, such as a hash: only its whole is a word."""

_UNSPACED: Final = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Myanmar, Khmer
    "\u1100-\u11ff\uac00-\ud7af"  # Hangul: spaced, but particles stick to words
    "\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_LAST_MARK: Final = 0x1E94A


def _marks() -> str:
    """Combining marks, which belong to the letter before them and are no letters themselves."""
    marks = [code for code in range(0x300, _LAST_MARK + 1) if _is_mark(chr(code))]
    runs = groupby(enumerate(marks), lambda pair: pair[1] - pair[0])
    spans = [[code for _, code in run] for _, run in runs]
    return "".join(f"{chr(span[0])}-{chr(span[-1])}" for span in spans)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


_RUN: Final = re.compile(
    rf"(?P<unspaced>[{_UNSPACED}]+)|[^\W_{_UNSPACED}](?:[^\W_{_UNSPACED}]|[{_marks()}])*"
)
_ASCII_RUN: Final = re.compile("[A-Za-z0-9]+")
"""The same for a text of ASCII alone, in a quarter of the time."""

_ASCII_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


class Piece(NamedTuple):
    """A folded word, and where it stands in the text, in code points."""

    lexeme: str
    start: int
    end: int


class Run(NamedTuple):
    """Letters and digits in a row.

    Attributes:
        pieces: its parts in order, or its characters where the script has no spaces.
        whole: all of it as one word, when that is not its only piece.
        unspaced: whether neighbouring pieces also count as pairs.
    """

    pieces: tuple[Piece, ...]
    whole: Piece | None = None
    unspaced: bool = False

    @property
    def pairs(self) -> Iterator[Piece]:
        """Each two neighbours of a script without spaces."""
        if self.unspaced:
            for one, other in pairwise(self.pieces):
                yield Piece(one.lexeme + other.lexeme, one.start, other.end)


def runs(text: str) -> Iterator[Run]:
    """The runs of a text in order. Those without any word of bearable length are left out."""
    for match in _pattern(text).finditer(text):
        run = _characters(match) if match.lastgroup else _word(match[0], match.start())
        if run.pieces:
            yield run


def unplaced_runs(text: str) -> Iterator[Run]:
    """The same in a fraction of the time, for who does not ask where they stand in the text.

    A word that comes again is not looked at again.
    """
    known: dict[str, Run] = {}
    for match in _pattern(text).finditer(text):
        word = match[0]
        run = known.get(word)
        if run is None:
            run = known[word] = _characters(match) if match.lastgroup else _word(word, 0)
        if run.pieces:
            yield run


def _pattern(text: str) -> re.Pattern[str]:
    return _ASCII_RUN if text.isascii() else _RUN


def fold(word: str) -> str:
    """A word as it is compared: without case, width, and ways of writing the same letter."""
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", word).casefold())


def _characters(match: re.Match[str]) -> Run:
    start = match.start()
    pieces = [Piece(fold(each), start + at, start + at + 1) for at, each in enumerate(match[0])]
    return Run(tuple(pieces), unspaced=True)


def _word(word: str, start: int) -> Run:
    whole = Piece(fold(word), start, start + len(word))
    spans = [] if _is_plain(word) else list(_part_spans(word))
    if not 1 < len(spans) <= MOST_PARTS:
        return Run((whole,) if _is_bearable(whole.lexeme) else ())
    parts = [Piece(fold(word[at:end]), start + at, start + end) for at, end in spans]
    return Run(_bearable(parts), whole if _is_bearable(whole.lexeme) else None)


def _is_plain(word: str) -> bool:
    """Whether neither case nor digits cut the word; quick, since nearly all words are."""
    return word.isalpha() and (word.islower() or word.istitle() or word.isupper())


def _bearable(pieces: list[Piece]) -> tuple[Piece, ...]:
    return tuple(piece for piece in pieces if _is_bearable(piece.lexeme))


def _is_bearable(lexeme: str) -> bool:
    # Four bytes are the most of a character, so that most words need no encoding.
    return len(lexeme) * 4 <= LONGEST_WORD or len(lexeme.encode()) <= LONGEST_WORD


def _part_spans(word: str) -> Iterator[tuple[int, int]]:
    if word.isascii():
        return (match.span() for match in _ASCII_PARTS.finditer(word))
    return _spans_between(word, _cuts(word))


def _spans_between(word: str, cuts: list[int]) -> Iterator[tuple[int, int]]:
    return pairwise([0, *cuts, len(word)])


def _cuts(word: str) -> list[int]:
    """Where a part begins inside a word: `getUser`, `HTTPServer`, `sha256`, `5th`."""
    kinds = [_kind(character) for character in word]
    cuts = []
    for at in range(1, len(word)):
        before, here = kinds[at - 1], kinds[at]
        if here == "mark":
            kinds[at] = before
        elif _begins_part(before, here, after=kinds[at + 1 : at + 2]):
            cuts.append(at)
    return cuts


def _begins_part(before: str, here: str, after: list[str]) -> bool:
    if "digit" in {before, here}:
        return before != here
    return here == "upper" and (before != "upper" or after == ["lower"])


def _kind(character: str) -> str:
    if character.isnumeric():
        return "digit"
    if _is_mark(character):
        return "mark"
    if character.isupper():
        return "upper"
    return "lower" if character.islower() else "letter"
