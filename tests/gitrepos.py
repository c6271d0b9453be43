"""Small git repositories for tests, odd ones included: trees are written byte by byte."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pygit2
from pygit2.enums import FileMode, ObjectType

type Files = Mapping[str | bytes, "bytes | str | File"]

A_COMMIT: Final = "1" * 40
"""What submodules point at; no repository has it."""


@dataclass(frozen=True)
class File:
    """A file that is more than its bytes."""

    data: bytes | str
    mode: FileMode = FileMode.BLOB


def executable(data: bytes | str) -> File:
    return File(data, FileMode.BLOB_EXECUTABLE)


def link(target: str) -> File:
    return File(target, FileMode.LINK)


def submodule() -> File:
    return File(A_COMMIT, FileMode.COMMIT)


class GitRepo:
    """A bare repository whose commits are given as whole trees.

    >>> repo = GitRepo(tmp_path)
    >>> repo.commit({"docs/a.md": "one"}, "Begin")
    >>> repo.commit({"docs/a.md": "two", "logo.png": b"\\x89PNG\\0"}, "Go on")
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.git = pygit2.init_repository(path, bare=True, initial_head="main")
        self.tip: str | None = None

    def commit(
        self,
        files: Files,
        message: str | bytes = "Change\n",
        *,
        parents: Sequence[str] | None = None,
        time: int = 1_600_000_000,
        branch: str = "main",
    ) -> str:
        """Commit a whole tree on top of the last commit, or of `parents`; return the ID."""
        found = parents if parents is not None else [self.tip] if self.tip else []
        text = message.encode() if isinstance(message, str) else message
        return self.commit_tree(self.tree(files), text, parents=found, time=time, branch=branch)

    def commit_tree(
        self,
        tree: pygit2.Oid,
        message: bytes = b"Change\n",
        *,
        parents: Sequence[str] = (),
        time: int = 1_600_000_000,
        branch: str = "main",
        headers: bytes = b"",
    ) -> str:
        """Commit a tree as it is, and point a branch at it."""
        who = f"Author <author@example.org> {time} +0000"
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        lines += [f"author {who}", f"committer {who}", ""]
        raw = "\n".join(lines).encode() + headers + b"\n" + message
        commit = self.git.odb.write(ObjectType.COMMIT, raw)
        self.git.references.create(f"refs/heads/{branch}", commit, force=True)
        self.tip = str(commit)
        return self.tip

    def tree(self, files: Files) -> pygit2.Oid:
        """Write a tree, and those below it. A path may be bytes, in whatever encoding."""
        here: dict[bytes, File] = {}
        below: dict[bytes, dict[str | bytes, bytes | str | File]] = {}
        for path, content in files.items():
            name, slash, rest = _bytes(path).partition(b"/")
            if slash:
                below.setdefault(name, {})[rest] = content
            else:
                here[name] = content if isinstance(content, File) else File(content)
        entries = [(name, file.mode, self._write(file)) for name, file in here.items()]
        entries += [(name, FileMode.TREE, self.tree(inner)) for name, inner in below.items()]
        return self.raw_tree(sorted(entries, key=_git_order))

    def raw_tree(self, entries: Sequence[tuple[bytes, FileMode, pygit2.Oid]]) -> pygit2.Oid:
        """Write a tree of exactly these entries in this order, whether git would or not."""
        raw = b"".join(b"%o %s\0%s" % (mode, name, oid.raw) for name, mode, oid in entries)
        return self.git.odb.write(ObjectType.TREE, raw)

    def blob(self, data: bytes | str) -> pygit2.Oid:
        return self.git.create_blob(_bytes(data))

    def _write(self, file: File) -> pygit2.Oid:
        if file.mode == FileMode.COMMIT:
            return pygit2.Oid(hex=A_COMMIT)
        return self.blob(file.data)


def _bytes(text: bytes | str) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _git_order(entry: tuple[bytes, FileMode, pygit2.Oid]) -> bytes:
    name, mode, _ = entry
    return name + b"/" if mode == FileMode.TREE else name
