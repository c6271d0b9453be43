"""Letters of other scripts that are drawn like letters of ours, by Unicode's own data (UTS 39)."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from confusable_homoglyphs.confusables import confusables_data

_WORD: Final = re.compile(r"[^\W\d_]+")
_LATIN: Final = re.compile("[A-Za-z\u00c0-\u024f]")

# With Latin letters in one word these are ordinary writing: sigmas and gammas of formulas.
_SYMBOLS: Final = frozenset("\u03c3\u03b3")

# Scripts whose letters count in a Latin word even where they are drawn like none of its letters:
# Cyrillic, Armenian and Cherokee. No language mixes them with Latin inside a word.
_NEVER_MIXED: Final = "\u0400-\u052f\u0531-\u0587\u13a0-\u13fd\uab70-\uabbf"


def _is_of_another_script(character: str) -> bool:
    return (
        character > "\u024f"
        and character.isalpha()
        and character not in _SYMBOLS
        and not unicodedata.name(character, "").startswith("LATIN")
    )


def _letters() -> dict[str, str]:
    """Each letter of another script with the ASCII letter that it is drawn like."""
    return {
        character: like["c"]
        for character, alike in confusables_data.items()
        if len(character) == 1 and _is_of_another_script(character)
        for like in alike
        if len(like["c"]) == 1 and like["c"].isascii() and like["c"].isalpha()
    }


_DRAWN_LIKE: Final = _letters()
_FOREIGN: Final = re.compile(f"[{_NEVER_MIXED}{''.join(_DRAWN_LIKE)}]")


def drawn_like(letter: str) -> str | None:
    """The ASCII letter that a letter of another script is drawn like, if it is."""
    return _DRAWN_LIKE.get(letter)


def lookalike_letters(text: str) -> Iterator[int]:
    """Where letters stand in a word of another script: in each, those of the rarer one.

    A word that is wholly of one script is ordinary writing, whatever it looks like.
    """
    if text.isascii():
        return
    for word in _WORD.finditer(text):
        start, end = word.span()
        if word[0].isascii() or not _LATIN.search(text, start, end):
            continue
        foreign = [letter.start() for letter in _FOREIGN.finditer(text, start, end)]
        if foreign:
            latin = [letter.start() for letter in _LATIN.finditer(text, start, end)]
            yield from min(foreign, latin, key=len)
