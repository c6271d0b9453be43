"""Tree and diff hashes by the published verifier, docs/verify_tree_hash.py (contract M8)."""

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Protocol
from unittest.mock import patch

VERIFIER: Final = Path(__file__).parents[2] / "docs" / "verify_tree_hash.py"

type _Hashes = Callable[[list[dict[str, str]], list[dict[str, str]]], dict[str, str]]


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
    return _hashes([], _described(tree))["tree_hash"]


def diff_hash(base: Mapping[str, Hashed], head: Mapping[str, Hashed]) -> str:
    """The hash of the difference between two trees."""
    return _hashes(_described(base), _described(head))["diff_hash"]


def in_order(paths: Iterable[str]) -> list[str]:
    """Paths as every list has them: by the bytes of their UTF-8."""
    return sorted(paths, key=str.encode)


def _described(tree: Mapping[str, Hashed]) -> list[dict[str, str]]:
    return [
        {"path": path, "content_sha256": document.sha256, "media_type": document.media_type}
        for path, document in tree.items()
    ]


def _published() -> _Hashes:
    """The verifier's own function; as a script, the verifier ends when it has no file to read."""
    script: dict[str, Any] = {}
    with patch.object(sys, "argv", [str(VERIFIER)]), suppress(SystemExit):
        exec(compile(VERIFIER.read_text(), VERIFIER, "exec"), script)
    hashes: _Hashes = script["hashes"]
    return hashes


_hashes = _published()
