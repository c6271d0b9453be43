"""Paths of documents, as contract M2 has them: refused with a reason, never silently changed.

Python orders text by code point, which is the order of its UTF-8 bytes, so plain comparison
and sorting here agree with the database's bytewise collation. The messages quote the path,
which is customer text: they may be answered to its caller, never logged.
"""

import posixpath
import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from memory.textsafety.characters import Kind, hidden_kind

MAX_PATH_BYTES: Final = 1_024
MAX_SEGMENTS: Final = 32
MAX_SEGMENT_BYTES: Final = 255

_HIDDEN_WORDS: Final = {
    Kind.BIDI_CONTROL: "bidirectional control character",
    Kind.CONTROL: "control character",
}


class PathError(ValueError):
    """The text is no document path; the message says why and how to write it."""


class Clash(NamedTuple):
    """A document that would also be the directory of another one (contract M2)."""

    document: str
    below: str


def parse_path(text: str) -> str:
    """Return `text` unchanged when it is a document's path.

    Raises:
        PathError: a rule of M2 is broken. Where only the spelling is at fault, the message
            holds the normalized form.
    """
    if len(text) > MAX_PATH_BYTES:  # before anything that takes time with length
        raise PathError(f"the path has more than {MAX_PATH_BYTES:,} bytes")
    _refuse_characters(text)
    _refuse_unnormalized(text)
    _refuse_sizes(text)
    return text


def parse_prefix(text: str) -> str:
    """Return `text` unchanged when it is a prefix for lists.

    A prefix is `/`, a directory with its slash (`/notes/`), or a path that names one document
    or one directory (`/notes`). It always ends at the end of a segment.

    Raises:
        PathError: it is none of these.
    """
    if text != "/":
        parse_path(text.removesuffix("/"))
    return text


def is_under(path: str, prefix: str) -> bool:
    """Whether a document's path is selected by a prefix from `parse_prefix`."""
    return path == prefix or path.startswith(prefix if prefix.endswith("/") else prefix + "/")


def ancestors(path: str) -> Iterator[str]:
    """The directories above a document, outermost first, the root left out."""
    end = path.find("/", 1)
    while end != -1:
        yield path[:end]
        end = path.find("/", end + 1)


def new_clashes(
    tree: Sequence[str], added: Iterable[str], removed: Collection[str] = frozenset()
) -> list[Clash]:
    """The clashes that a few new paths cause in a large tree, sorted.

    Args:
        tree: the paths of the tree before, sorted and free of clashes.
        added: the paths to add; those that it has already do no harm.
        removed: the paths that leave it in the same change (a set, when there are many).

    Returns:
        For each added path the documents above it and the first one below it.
    """
    arriving = set(added)
    found: set[Clash] = set()
    for path in arriving:
        found.update(
            Clash(above, path)
            for above in ancestors(path)
            if above in arriving or (above not in removed and _holds(tree, above))
        )
        below = _first_below(tree, path, removed)
        if below is not None:
            found.add(Clash(path, below))
    return sorted(found)


def _refuse_characters(text: str) -> None:
    if text.isascii() and text.isprintable() and "\\" not in text:
        return
    for position, character in enumerate(text, start=1):
        reason = _reason_against(character)
        if reason:
            code = f"U+{ord(character):04X}"
            raise PathError(f"the path has a {reason} ({code}) at character {position}")


def _reason_against(character: str) -> str | None:
    if character == "\\":
        return "backslash; segments are separated by /"
    category = unicodedata.category(character)
    if category == "Cs":
        return "lone surrogate, which UTF-8 cannot encode"
    kind = Kind.CONTROL if category == "Cc" else hidden_kind(character)
    return _HIDDEN_WORDS.get(kind, "zero-width character") if kind else None


def _refuse_unnormalized(text: str) -> None:
    if not text:
        raise PathError("the path is empty")
    normalized = unicodedata.normalize("NFC", posixpath.normpath("/" + text.lstrip("/")))
    if text != normalized or text == "/":
        raise PathError(f"{_spelling_fault(text)}{_hint(normalized)}")


def _spelling_fault(text: str) -> str:
    if not text.startswith("/"):
        return "the path must begin with /"
    if text == "/":
        return "the path names no document"
    if text.endswith("/"):
        return "the path must not end with /"
    segments = text[1:].split("/")
    if "" in segments:
        return "the path has an empty segment"
    if "." in segments or ".." in segments:
        return "the path has a segment . or .."
    return "the path is not in Unicode normalization form C"


def _hint(normalized: str) -> str:
    return f"; the normalized form is {normalized}" if normalized != "/" else ""


def _refuse_sizes(text: str) -> None:
    size = len(text.encode())
    if size > MAX_PATH_BYTES:
        raise PathError(f"the path has {size:,} bytes; {MAX_PATH_BYTES:,} are allowed")
    segments = text[1:].split("/")
    if len(segments) > MAX_SEGMENTS:
        raise PathError(f"the path has {len(segments)} segments; {MAX_SEGMENTS} are allowed")
    longest = max(len(segment.encode()) for segment in segments)
    if longest > MAX_SEGMENT_BYTES:
        raise PathError(
            f"the path has a segment of {longest} bytes; {MAX_SEGMENT_BYTES} are allowed"
        )


def _holds(tree: Sequence[str], path: str) -> bool:
    index = bisect_left(tree, path)
    return index < len(tree) and tree[index] == path


def _first_below(tree: Sequence[str], path: str, removed: Collection[str]) -> str | None:
    directory = path + "/"
    for index in range(bisect_left(tree, directory), len(tree)):
        if not tree[index].startswith(directory):
            return None
        if tree[index] not in removed:
            return tree[index]
    return None
