"""The words that the oracle and its driver share: plain, frozen values without any database."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from tests.oracle.provenance import Provenance
from tests.oracle.treehash import content_hash

CONFLICT: Final = "memory.conflict"
DENIED: Final = "policy.denied"
MALFORMED: Final = "validation.malformed"
NOT_FOUND: Final = "memory.not_found"
READ_ONLY: Final = "memory.read_only"
TOO_LARGE: Final = "validation.range_too_large"

UNKNOWN: Final = -1
"""Stands for the identifier of a version that no store has."""


class Refused(Exception):
    """The store said no. Two refusals of one type are alike; the words after it are for people."""

    def __init__(self, type: str, why: str = "") -> None:
        super().__init__(f"{type}: {why}")
        self.type = type


@dataclass(frozen=True)
class Caller:
    """Somebody with a credential.

    Attributes:
        owner: whether the store is theirs.
        admin: whether they administer the Workspace, which lets them know of every store.
    """

    name: str
    permissions: frozenset[str]
    owner: bool = False
    admin: bool = False

    def may(self, permission: str) -> bool:
        """Whether a check of `permission` passes: every other one also requires read (§0)."""
        return {"read", permission} <= self.permissions


REDACTION: Final = Caller("redaction", frozenset())
IMPORT: Final = Caller("import", frozenset())
"""The platform, by what it does."""

type Body = tuple[str, int]
"""A text that was written: its path, and the number of the version that put it there."""


@dataclass(frozen=True)
class Document:
    """A text in a tree, and the number of the version that put it there.

    Attributes:
        expires_at: the text's ceiling; None for none.
        provenance: goes with the text, but for its digest.
    """

    text: str
    media_type: str
    introduced_by: int
    expires_at: datetime | None = None
    provenance: Provenance | None = None

    @property
    def sha256(self) -> str:
        return content_hash(self.text)

    @property
    def size(self) -> int:
        return len(self.text.encode())

    def holds(self, text: str, media_type: str) -> bool:
        """Whether writing this again alters nothing, whatever is claimed of it now."""
        return (self.text, self.media_type) == (text, media_type)


Tree = dict[str, Document]
"""Path → document. A sealed tree is never changed, only copied."""


@dataclass(frozen=True)
class Put:
    """Write `text`; `expected` is the content hash now there, None for no document."""

    path: str
    text: str
    media_type: str | None = None
    expected: str | None = None
    provenance: Provenance | None = None

    @property
    def effective_media_type(self) -> str:
        by_ending = "text/markdown" if self.path.endswith(".md") else "text/plain"
        return self.media_type or by_ending


@dataclass(frozen=True)
class Delete:
    path: str
    expected: str


Operation = Put | Delete


@dataclass(frozen=True)
class RefName:
    kind: str
    owner: str | int | None = None


CANONICAL: Final = RefName("canonical")


@dataclass(frozen=True)
class RefMove:
    """A line of the reflog; versions by number, None where the ref did not exist."""

    name: RefName
    before: int | None
    after: int | None
    actor: str
    at: datetime


@dataclass(frozen=True)
class Version:
    """A snapshot. Versions are numbered as they are sealed."""

    number: int
    parent: int | None
    kind: str
    actor: str
    message: str | None
    created_at: datetime
    tree: Tree = field(repr=False)

    @property
    def total_bytes(self) -> int:
        return sum(document.size for document in self.tree.values())


@dataclass(frozen=True)
class Reading:
    """A document that was read, and the exact version it was read at."""

    version: int
    text: str
    media_type: str
    expires_at: datetime | None
    provenance: Provenance | None


@dataclass(frozen=True)
class Listed:
    """A row of a list: everything but the text; `erased` says why that is gone, if it is."""

    path: str
    sha256: str
    media_type: str
    size: int
    introduced_by: int
    expires_at: datetime | None
    erased: str | None


@dataclass(frozen=True)
class BlamedLine:
    """Who wrote a line: a version, and the path of the document then.

    Where `unknown` is not None the version holds the line, and nobody can tell who wrote it.
    """

    version: int
    path: str
    unknown: str | None = None


@dataclass(frozen=True)
class Found:
    """What search finds at an exact version: paths with the hashes of their contents."""

    version: int
    documents: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Change:
    """A path's difference; a rename stands once, at its new path, and knows the old one.

    `erased` says of the text before and of the text after why it is gone, if it is.
    """

    status: str
    path: str
    old_path: str | None = None
    erased: tuple[str | None, str | None] = (None, None)


@dataclass(frozen=True)
class Diff:
    """What differs between two versions."""

    diff_hash: str
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Step:
    """One entry of a path's history; `sha256` is None where it was deleted."""

    version: int
    change: str
    sha256: str | None
    erased: str | None


@dataclass(frozen=True)
class Sealed:
    """A version as lists show it."""

    number: int
    parent: int | None
    kind: str
    actor: str
    message: str | None
    created_at: datetime
    document_count: int
    total_bytes: int
    tree_hash: str


@dataclass(frozen=True)
class ChangeSet:
    """A write as it is sent. It is its own fingerprint: equal requests compare equal.

    `base` is None for a write through the document surface, which names content only.
    """

    ref: RefName
    base: int | None
    operations: tuple[Operation, ...]
    message: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What a change set answers; `version` is None when it altered nothing."""

    version: int | None
    base: int
    changed_paths: tuple[str, ...]
    tree_hash: str
    replayed: bool = False


@dataclass(frozen=True)
class Written:
    """What a write through the document surface answers; `at` is canonical as it left it."""

    at: int
    unchanged: bool
    replayed: bool


@dataclass(frozen=True)
class Redacted:
    """What a redaction took away."""

    version_count: int
    path_count: int
    hash_count: int
    replayed: bool = False


@dataclass(frozen=True)
class Settings:
    """How a store is governed. `canonical_writes` is None unless the store is shared."""

    canonical_writes: str | None = None
    self_approval: str = "denied"
    archived: bool = False
