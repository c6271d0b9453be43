"""What of a git history a store can hold, and what it cannot (contract I2, M2)."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum

import pygit2
from pygit2.enums import FileMode

from memory.documents.paths import PathError, ancestors, parse_path
from memory.documents.texts import MAX_TEXT_BYTES
from memory.git.history import TreeFile
from memory.git.repository import reading
from memory.versions.sealing import Change, Put


class Reason(StrEnum):
    """Why a store cannot hold a file."""

    BINARY = "not text (NUL, or not UTF-8)"
    TOO_LONG = f"longer than {MAX_TEXT_BYTES:,} bytes"
    BAD_PATH = "not the path of a document"
    CLASH = "a document would also be a directory"
    LINK = "symbolic link"
    SUBMODULE = "submodule"
    TOO_MANY = "more documents than a store may hold"
    FENCED = "redacted from the store for ever"


class Unstorable(Exception):
    """The file at a path is nothing that a store can hold."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class Selection:
    """Turns the files that a commit changed into changes of documents, commit after commit.

    A document leaves when its file becomes something that a store cannot hold. A file that
    found no room is looked at again only when a later commit changes it.

    Attributes:
        skipped: by reason, the paths that were not taken, for a person to read.
        left: paths of documents that left for such a reason.
    """

    def __init__(
        self,
        repository: pygit2.Repository,
        max_documents: int,
        documents: Iterable[str] = (),
        fenced: Collection[str] = (),
    ) -> None:
        """Begin with some documents; their number may grow to `max_documents`.

        Args:
            documents: the paths that the store holds already.
            fenced: paths that were redacted. What happens there in git is passed over.
        """
        self.skipped: dict[Reason, set[str]] = defaultdict(set)
        self.left: set[str] = set()
        self._repository = repository
        self._max_documents = max_documents
        self._fenced = frozenset(fenced)
        self._documents: set[str] = set()
        self._directories: Counter[str] = Counter()
        for path in documents:
            self._documents.add(path)
            self._directories.update(ancestors(path))

    def select(self, files: Mapping[bytes, TreeFile | None]) -> dict[str, Change]:
        """The changes of documents that a commit's changes of files amount to.

        Raises:
            RepositoryError: the text of a file is missing or damaged.
        """
        files = self._unfenced(files)
        changes: dict[str, Change] = dict.fromkeys(self._gone(files))
        for raw, file in sorted(files.items()):
            if file is None:
                continue
            try:
                path, put = self._take(raw, file)
            except Unstorable as refusal:
                changes.update(self._skip(raw, refusal.reason))
            else:
                changes[path] = put
        return changes

    def _unfenced(self, files: Mapping[bytes, TreeFile | None]) -> dict[bytes, TreeFile | None]:
        left: dict[bytes, TreeFile | None] = {}
        for raw, file in files.items():
            if _spell(raw) in self._fenced:
                self.skipped[Reason.FENCED].add(_spell(raw))
            else:
                left[raw] = file
        return left

    def _gone(self, files: Mapping[bytes, TreeFile | None]) -> Iterator[str]:
        for raw, file in files.items():
            path = _spell(raw)
            if file is None and path in self._documents:
                self._remove(path)
                yield path

    def _take(self, raw: bytes, file: TreeFile) -> tuple[str, Put]:
        path = _document_path(raw)
        put = Put(self._read_text(file))
        if path not in self._documents:
            self._add(path)
        return path, put

    def _skip(self, raw: bytes, reason: Reason) -> dict[str, Change]:
        path = _spell(raw)
        self.skipped[reason].add(path)
        if path not in self._documents:
            return {}
        self.left.add(path)
        self._remove(path)
        return {path: None}

    def _add(self, path: str) -> None:
        above = list(ancestors(path))
        if self._directories[path] or not self._documents.isdisjoint(above):
            raise Unstorable(Reason.CLASH)
        if len(self._documents) >= self._max_documents:
            raise Unstorable(Reason.TOO_MANY)
        self._documents.add(path)
        self._directories.update(above)

    def _remove(self, path: str) -> None:
        self._documents.remove(path)
        self._directories.subtract(ancestors(path))

    def _read_text(self, file: TreeFile) -> str:
        if file.mode == FileMode.LINK:
            raise Unstorable(Reason.LINK)
        if file.mode == FileMode.COMMIT:
            raise Unstorable(Reason.SUBMODULE)
        with reading():
            _, size = self._repository.odb.read_header(file.id)
            if size > MAX_TEXT_BYTES:
                raise Unstorable(Reason.TOO_LONG)
            _, raw = self._repository.odb.read(file.id)
        return _text(raw)


def _spell(raw: bytes) -> str:
    """A path for people; of a document, its very path."""
    return "/" + raw.decode(errors="backslashreplace")


def _document_path(raw: bytes) -> str:
    try:
        return parse_path("/" + raw.decode())
    except (UnicodeDecodeError, PathError) as error:
        raise Unstorable(Reason.BAD_PATH) from error


def _text(raw: bytes) -> str:
    if b"\0" in raw:
        raise Unstorable(Reason.BINARY)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise Unstorable(Reason.BINARY) from error
