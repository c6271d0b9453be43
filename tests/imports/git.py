"""What git itself says of a history: read by the git program, not by the library under test."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

MAX_BYTES = 102_400


def first_parents(repository: Path, ref: str = "main") -> list[str]:
    """The commits on the line of first parents, oldest first."""
    return _git(repository, "rev-list", "--first-parent", "--reverse", ref).decode().split()


def storable_tree(repository: Path, commit: str, prefix: str = "") -> dict[str, bytes]:
    """The texts that a store can hold in a commit's tree, by their path below the prefix."""
    start = f"{prefix}/".encode() if prefix else b""
    found = {
        path.removeprefix(start): blob
        for path, blob in _regular_files(repository, commit)
        if path.startswith(start)
    }
    texts = zip(found, _blobs(repository, list(found.values())), strict=True)
    return {"/" + path.decode(): data for path, data in texts if _is_text(data)}


def _regular_files(repository: Path, commit: str) -> Iterator[tuple[bytes, bytes]]:
    listed = _git(repository, "ls-tree", "-r", "-z", "--full-tree", commit)
    for line in listed.split(b"\0")[:-1]:
        about, path = line.split(b"\t", 1)
        mode, _, blob = about.split()
        if mode in (b"100644", b"100755"):
            yield path, blob


def _blobs(repository: Path, ids: list[bytes]) -> Iterator[bytes]:
    output = _git(repository, "cat-file", "--batch", stdin=b"".join(one + b"\n" for one in ids))
    for _ in ids:
        header, _, output = output.partition(b"\n")
        size = int(header.split()[2])
        yield output[:size]
        output = output[size + 1 :]


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in data and len(data) <= MAX_BYTES


def _git(repository: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, check=True, capture_output=True, input=stdin).stdout
