"""Characters that a reviewer cannot see, found and made visible (console.md, text safety).

Loud kinds are characters that draw nothing or reorder what is around them: an agent reads
them, a person does not. The quiet kind is a word that mixes scripts with like-looking letters.
Offsets count code points. Everything is linear in the text.
"""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from heapq import merge
from itertools import pairwise
from operator import itemgetter
from typing import Any, Final, NamedTuple

from memory.textsafety.lookalikes import drawn_like, lookalike_letters


class Kind(StrEnum):
    """Why a character is pointed out."""

    BIDI_CONTROL = "bidi_control"
    ZERO_WIDTH = "zero_width"
    TAG = "tag"
    VARIATION_SELECTOR = "variation_selector"
    CONTROL = "control"
    LOOKALIKE = "lookalike"

    @property
    def hidden(self) -> bool:
        """Whether the character itself draws nothing, so that a marker must stand for it."""
        return self is not Kind.LOOKALIKE


class Segment(NamedTuple):
    """A stretch of a text that is drawn in one way.

    Attributes:
        text: the characters themselves.
        kind: why they are pointed out, or None for ordinary text.
        label: what to show for, or beside, them; empty for ordinary text.
        changed: whether they lie in a range that a diff marks as changed.
    """

    text: str
    kind: Kind | None = None
    label: str = ""
    changed: bool = False


class Run(NamedTuple):
    """Neighbouring characters of one kind, from `start` up to `end`."""

    start: int
    end: int
    kind: Kind


# Unicode's Default_Ignorable_Code_Point, by what the characters are for. The ranges that no
# character is assigned to yet are in it too: they draw nothing already.
_CLASSES: Final = {
    Kind.BIDI_CONTROL: "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069",
    Kind.ZERO_WIDTH: (
        "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f"
        "\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    ),
    Kind.TAG: "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff",
    Kind.VARIATION_SELECTOR: "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef",
    # Not in the property, yet as invisible: control codes, and separators that break lines in
    # some programs only. CR stays out of it when LF follows.
    Kind.CONTROL: "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029",
}
_ANY_HIDDEN: Final = re.compile("[" + "".join(_CLASSES.values()) + "\r]")
_HIDDEN: Final = re.compile(
    "|".join(
        f"(?P<{kind}>(?:[{characters}]" + (r"|\r(?!\n)" if kind is Kind.CONTROL else "") + ")+)"
        for kind, characters in _CLASSES.items()
    )
)

# What texts are made of, nothing of it hidden. To take it away and to search the rest is much
# quicker than to search the whole.
_PLAIN: Final = bytes([*b"\t\n", *range(0x20, 0x7F)])

_JOINER: Final = "\u200d"
_PRESENTATION_SELECTORS: Final = "\ufe0e\ufe0f"


def hidden_kind(character: str) -> Kind | None:
    """Why a single character counts as hidden, whatever stands around it, or None."""
    match = _HIDDEN.fullmatch(character)
    return Kind(match.lastgroup) if match and match.lastgroup else None


def runs(text: str) -> Iterator[Run]:
    """The characters of a text that are pointed out, in order."""
    return merge(_hidden_runs(text), _lookalike_runs(text))


def counts(text: str) -> Counter[Kind]:
    """How many characters of each kind a text holds; kinds that it lacks are left out."""
    total: Counter[Kind] = Counter()
    for run in runs(text):
        total[run.kind] += run.end - run.start
    return total


def make_visible(text: str, changed: Sequence[tuple[int, int]] = ()) -> list[Segment]:
    """Cut a text into segments to draw: ordinary text, and characters with their label.

    Args:
        text: a line or a whole document.
        changed: ranges (start, end) that a diff marks, sorted and apart; segments end at them.
    """
    found = list(runs(text))
    edges = {0, len(text)}
    for start, end in [*((run.start, run.end) for run in found), *changed]:
        edges.update((start, end))
    return [
        _segment(
            text[start:end],
            _covering(found, start),
            changed=_covering(changed, start) is not None,
        )
        for start, end in pairwise(sorted(edges))
    ]


def reveal(text: str) -> str:
    """Return the text with a visible marker in place of each run of hidden characters.

    The marker has no meaning in Markdown or HTML, so a revealed text may still be rendered.
    """
    pieces = []
    done = 0
    for run in _hidden_runs(text):
        more = run.end - run.start - 1
        pieces += [text[done : run.start], f"⟦U+{ord(text[run.start]):04X}"]
        pieces.append(f" +{more}⟧" if more else "⟧")
        done = run.end
    return "".join([*pieces, text[done:]])


def _hidden_runs(text: str) -> Iterator[Run]:
    rest = text.encode(errors="surrogatepass").translate(None, _PLAIN)
    if not _ANY_HIDDEN.search(rest.decode(errors="surrogatepass")):
        return
    for match in _HIDDEN.finditer(text):
        run = Run(match.start(), match.end(), Kind(match.lastgroup or ""))
        if not _shapes_an_emoji(text, run):
            yield run


def _shapes_an_emoji(text: str, run: Run) -> bool:
    """Whether a lone joiner or presentation selector only picks how a pictograph is drawn."""
    if run.start == 0 or run.end - run.start != 1:
        return False
    character, before = text[run.start], text[run.start - 1]
    if character in _PRESENTATION_SELECTORS:
        return before.isdecimal() or unicodedata.category(before)[0] in "SP"
    if before in _PRESENTATION_SELECTORS:
        before = text[run.start - 2 : run.start - 1]
    return character == _JOINER and all(map(_is_pictograph, (before, text[run.end : run.end + 1])))


def _is_pictograph(character: str) -> bool:
    # Sk covers the skin tones, which stand between a person and the joiner.
    return character != "" and unicodedata.category(character) in {"So", "Sk"}


def _lookalike_runs(text: str) -> Iterator[Run]:
    return (Run(at, at + 1, Kind.LOOKALIKE) for at in lookalike_letters(text))


def _covering[R: tuple[Any, ...]](ranges: Sequence[R], position: int) -> R | None:
    """The range that covers a position; ranges are sorted and apart."""
    index = bisect_right(ranges, position, key=itemgetter(0)) - 1
    return ranges[index] if index >= 0 and position < ranges[index][1] else None


def _segment(text: str, run: Run | None, *, changed: bool) -> Segment:
    if run is None:
        return Segment(text, changed=changed)
    return Segment(text, run.kind, label_of(text, run.kind), changed)


def label_of(text: str, kind: Kind) -> str:
    """What to say of the characters of a run."""
    if kind is Kind.LOOKALIKE and (letter := drawn_like(text)):
        return f"{spell_character(text)}, drawn like {letter}"
    if kind is Kind.TAG and (spelled := _spelled_by_tags(text)):
        return f"tag characters that spell “{spelled}”"
    label = spell_character(text[0])
    return f"{label} and {len(text) - 1} more" if len(text) > 1 else label


def _spelled_by_tags(text: str) -> str:
    """The ASCII text that tag characters carry: each is a printable character moved up."""
    moved = (ord(character) - 0xE0000 for character in text)
    return "".join(chr(code) for code in moved if 0x20 <= code <= 0x7E)


@lru_cache(maxsize=1_024)
def spell_character(character: str) -> str:
    """A character by number and name."""
    return f"U+{ord(character):04X} {_name(character)}"


def _name(character: str) -> str:
    return unicodedata.name(character, "") or (
        "CONTROL CHARACTER" if unicodedata.category(character) == "Cc" else "UNASSIGNED"
    )
