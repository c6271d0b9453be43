"""Media types of documents: `type/subtype` without parameters (contract M2)."""

import re
from typing import Final

MAX_MEDIA_TYPE_CHARACTERS: Final = 255
MARKDOWN: Final = "text/markdown"

# The characters of RFC 6838, section 4.2. None of them can end a line or a field of a tree
# entry, which is what keeps the tree hash unambiguous.
_NAME: Final = r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*"
_MEDIA_TYPE: Final = re.compile(f"{_NAME}/{_NAME}")


class MediaTypeError(ValueError):
    """The text is no media type of a document."""


def parse_media_type(text: str) -> str:
    """Return `text` unchanged when it is a media type.

    Raises:
        MediaTypeError: it is not `type/subtype` of 1 to 255 characters.
    """
    if len(text) > MAX_MEDIA_TYPE_CHARACTERS or not _MEDIA_TYPE.fullmatch(text):
        raise MediaTypeError(
            "a media type is type/subtype, such as text/markdown, without parameters and of at "
            f"most {MAX_MEDIA_TYPE_CHARACTERS} characters"
        )
    return text


def default_media_type(path: str) -> str:
    """The media type of a document that came without one (contract M2)."""
    return MARKDOWN if path.endswith(".md") else "text/plain"
