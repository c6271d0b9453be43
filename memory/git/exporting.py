"""Writing a store's line of versions as a git history (contract I2).

The same store becomes the same commits, bit for bit: who and when are spelled from the version.
"""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

import pygit2
from pygit2.enums import FileMode

from memory.actornaming import render_actor
from memory.actors import RecordedActor
from memory.documents.mediatypes import default_media_type
from memory.git.line import LineVersion, Written
from memory.models import MemoryVersion
from wire.times import earliest

INITIAL_HEAD: Final = "main"
DOMAIN: Final = "checkfu.invalid"


@dataclass(slots=True)
class Left:
    """What of a store a git history cannot tell.

    Attributes:
        erased: paths whose text was erased somewhere on the line.
        impossible: paths that git refuses.
        typed: paths with a media type that their ending does not tell.
        expires_at: when the first of the exported texts has to go.
    """

    erased: set[str] = field(default_factory=set)
    impossible: set[str] = field(default_factory=set)
    typed: set[str] = field(default_factory=set)
    expires_at: datetime | None = None


class Writer:
    """Writes one commit after the other into a new bare repository."""

    def __init__(self, path: Path) -> None:
        """Make the repository.

        Raises:
            pygit2.GitError: it cannot be made there.
        """
        self.left = Left()
        self.commits = 0
        self._repository = pygit2.init_repository(path, bare=True, initial_head=INITIAL_HEAD)
        self._index = pygit2.Index()
        self._held: set[str] = set()
        self._parents: list[pygit2.Oid] = []

    def write(self, line_version: LineVersion) -> None:
        """Write a version as a commit on the one before it."""
        for path in (*line_version.gone, *(each.path for each in line_version.written)):
            self._remove(path)  # first, since a path may become a directory
        for written in line_version.written:
            self._add(written)
        version = line_version.version
        who = _signature(version)
        tree = self._index.write_tree(self._repository)
        commit = self._repository.create_commit(
            None, who, who, _message(version), tree, self._parents
        )
        self._parents = [commit]
        self.commits += 1

    def close(self) -> None:
        """Point the branch at the last commit."""
        self._repository.create_reference(f"refs/heads/{INITIAL_HEAD}", self._parents[0])
        self._repository.free()

    def _remove(self, path: str) -> None:
        if path in self._held:
            self._index.remove(path.removeprefix("/"))
            self._held.discard(path)

    def _add(self, written: Written) -> None:
        if written.text is None:
            self.left.erased.add(written.path)
            return
        oid = self._repository.create_blob(written.text.encode())
        entry = pygit2.IndexEntry(written.path.removeprefix("/"), oid, FileMode.BLOB)
        try:
            self._index.add(entry)
        except (pygit2.GitError, ValueError):
            self.left.impossible.add(written.path)
            return
        self._held.add(written.path)
        if written.media_type != default_media_type(written.path):
            self.left.typed.add(written.path)
        self.left.expires_at = earliest([self.left.expires_at, written.expires_at])


def _signature(version: MemoryVersion) -> pygit2.Signature:
    """Who and when, from the recorded actor; identifiers are no names, and stay what they are."""
    actor = RecordedActor(
        version.actor_kind, version.actor_uuid, version.actor_agent_uuid, version.actor_operation
    )
    told = [str(value) for name, value in render_actor(actor).items() if name != "kind"]
    name = " ".join(told)
    email = f"{told[0]}@{DOMAIN}"
    return pygit2.Signature(name, email, int(version.created_at.timestamp()), 0)


def _message(version: MemoryVersion) -> str:
    note = getattr(version, "note", None)
    words = (note.message if note else None) or version.kind.replace("_", " ").capitalize()
    return f"{words.rstrip()}\n\nCheckfu-Version: {version.id}\n"
