"""The text of a document: bounded, storable, kept byte for byte (contract M2)."""

import re
from typing import Final

MAX_TEXT_BYTES: Final = 102_400

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")


class TextError(ValueError):
    """The text cannot be a document's."""


def parse_text(text: str) -> str:
    """Return `text` unchanged when it can be a document's text.

    Raises:
        TextError: more than 102,400 bytes of UTF-8, a NUL, or a lone surrogate.
    """
    if "\0" in text:
        raise TextError("the text contains NUL")
    if len(text) > MAX_TEXT_BYTES:  # each character is at least one byte
        raise TextError(f"the text has more than {MAX_TEXT_BYTES:,} bytes")
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise TextError("the text contains a lone surrogate") from error
    if size > MAX_TEXT_BYTES:
        raise TextError(f"the text has {size:,} bytes; {MAX_TEXT_BYTES:,} are allowed")
    return text


def lines_of(text: str) -> list[str]:
    """The lines of a text with their endings. They end at LF and nowhere else."""
    return _LINE.findall(text)


def is_crlf(text: str) -> bool:
    """Whether every line that ends, ends with CR LF; False when there is none."""
    lines = text.count("\n")
    return lines > 0 and lines == text.count("\r\n")
