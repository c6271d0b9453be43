"""Tree and diff hashes as contract M8 spells them, in the most naive way that is still clear."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Protocol


class Hashed(Protocol):
    """What of a document its hash covers."""

    @property
    def sha256(self) -> str: ...

    @property
    def media_type(self) -> str: ...


def content_hash(text: str) -> str:
    """`sha256:<hex>` of a document's exact bytes."""
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def ends_page(path: str) -> bool:
    """Whether a page of the tree ends at this path."""
    return sha256(path.encode()).digest()[-1] % 64 == 0


def tree_hash(tree: Mapping[str, Hashed]) -> str:
    """The hash of a whole tree."""
    pages: list[bytes] = []
    page = b""
    for path in in_order(tree):
        page += f"{path}\0{tree[path].sha256}\0{tree[path].media_type}\n".encode()
        if ends_page(path):
            pages.append(page)
            page = b""
    if page:
        pages.append(page)
    hashes = [sha256(b"checkfu.memory.page.v1\n" + page).digest() for page in pages]
    return f"sha256:{sha256(b'checkfu.memory.tree.v1\n' + b''.join(hashes)).hexdigest()}"


def diff_hash(base: Mapping[str, Hashed], head: Mapping[str, Hashed]) -> str:
    """The hash of the difference between two trees."""
    lines = b"checkfu.memory.diff.v1\n"
    for path in in_order(base.keys() | head.keys()):
        before, after = _spell(base.get(path)), _spell(head.get(path))
        if before != after:
            lines += f"{path}\0{before}\0{after}\n".encode()
    return f"sha256:{sha256(lines).hexdigest()}"


def _spell(document: Hashed | None) -> str:
    return f"{document.sha256}\0{document.media_type}" if document else "-\0-"


def in_order(paths: Mapping[str, object] | set[str]) -> list[str]:
    """Paths as every list has them: by the bytes of their UTF-8."""
    return sorted(paths, key=str.encode)
