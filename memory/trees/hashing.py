"""Hashes of trees, pages and differences, byte for byte as docs/tree-hash.md has them (M8).

Digests are 32 raw bytes here and `sha256:<hex>` on the wire; `spell_hash` and `parse_hash` go
between. Nothing here checks paths or media types: a tree holds only what parsing let in.
"""

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final, NamedTuple, Protocol

_PAGE_DOMAIN: Final = b"checkfu.memory.page.v1\n"
_TREE_DOMAIN: Final = b"checkfu.memory.tree.v1\n"
_DIFF_DOMAIN: Final = b"checkfu.memory.diff.v1\n"
_CUT_MASK: Final = 0x3F  # low 6 bits: a page ends after 64 entries on average

_SPELLED: Final = re.compile(r"sha256:([0-9a-f]{64})")


class HashError(ValueError):
    """The text is not `sha256:` and 64 lowercase hexadecimal digits."""


class Located(Protocol):
    """Whatever stands at a path."""

    @property
    def path(self) -> str: ...


class Hashed(Located, Protocol):
    """What a tree entry must have to be hashed."""

    @property
    def content_sha256(self) -> bytes: ...

    @property
    def media_type(self) -> str: ...


class Content(NamedTuple):
    """What a document is, wherever it stands: the digest of its bytes, and its media type."""

    sha256: bytes
    media_type: str


class Change(NamedTuple):
    """A path whose content differs between two trees; None where there is no document."""

    path: str
    base: Content | None
    head: Content | None


def content_sha256(text: str | bytes) -> bytes:
    """The digest of a document's exact bytes."""
    return sha256(text.encode() if isinstance(text, str) else text).digest()


def spell_hash(digest: bytes) -> str:
    """Spell a digest as `sha256:<hex>`."""
    return f"sha256:{digest.hex()}"


def parse_hash(text: str) -> bytes:
    """Return the digest that `spell_hash` spelled.

    Raises:
        HashError: the text is no spelled digest.
    """
    match = _SPELLED.fullmatch(text)
    if match is None:
        raise HashError("a hash is sha256: followed by 64 lowercase hexadecimal digits")
    return bytes.fromhex(match[1])


def closes_page(path: str) -> bool:
    """Whether an entry at this path is the last one of its page, whatever its content."""
    return sha256(path.encode()).digest()[-1] & _CUT_MASK == 0


def split_pages[L: Located](entries: Iterable[L]) -> Iterator[list[L]]:
    """Cut entries, sorted by path, into pages. Pages are never empty; an empty tree has none."""
    page: list[L] = []
    for entry in entries:
        page.append(entry)
        if closes_page(entry.path):
            yield page
            page = []
    if page:
        yield page


def page_hash(entries: Iterable[Hashed]) -> bytes:
    """The digest of one page's entries, sorted by path."""
    digest = sha256(_PAGE_DOMAIN)
    for entry in entries:
        line = f"{entry.path}\0{spell_hash(entry.content_sha256)}\0{entry.media_type}\n"
        digest.update(line.encode())
    return digest.digest()


def tree_hash(page_hashes: Iterable[bytes]) -> bytes:
    """The digest of a tree from the hashes of its pages, in order."""
    return sha256(_TREE_DOMAIN + b"".join(page_hashes)).digest()


def diff_hash(changes: Iterable[Change]) -> bytes:
    """The digest of a difference between two trees, in whatever order its changes come."""
    digest = sha256(_DIFF_DOMAIN)
    for change in sorted(changes, key=lambda change: change.path):
        fields = (change.path, *_side(change.base), *_side(change.head))
        digest.update("\0".join(fields).encode() + b"\n")
    return digest.digest()


def _side(content: Content | None) -> tuple[str, str]:
    return ("-", "-") if content is None else (spell_hash(content.sha256), content.media_type)
