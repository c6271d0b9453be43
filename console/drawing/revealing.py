"""The last gate of a page: what a template put into it without thinking of hidden characters.

Names, titles and notes may hold characters that draw nothing or turn the reading order. Templates
spell the words that matter most with `visible`; whatever else they print passes here. Words that
are sent back stay as they are: the content of editors, values of fields, addresses.
"""

import re
from typing import Final

from memory.textsafety.characters import reveal

_PIECE: Final = re.compile(
    r"(?P<editor><textarea\b.*?</textarea>)|(?P<tag><[^>]*>)|(?P<words>[^<]+)", re.DOTALL
)
_SPOKEN: Final = re.compile(r'(?<=\s)(?P<name>title|aria-label|placeholder)="(?P<words>[^"]*)"')
"""Attributes whose value a person reads or hears, as Django's templates and ours write them."""


def reveal_page(html: str) -> str:
    """Put a visible marker in place of hidden characters, wherever a person would read them."""
    return html if reveal(html) == html else _PIECE.sub(_reveal_piece, html)


def _reveal_piece(piece: re.Match[str]) -> str:
    if piece["words"]:
        return reveal(piece["words"])
    if piece["tag"]:
        return _SPOKEN.sub(_reveal_attribute, piece["tag"])
    return piece["editor"]


def _reveal_attribute(attribute: re.Match[str]) -> str:
    return f'{attribute["name"]}="{reveal(attribute["words"])}"'
