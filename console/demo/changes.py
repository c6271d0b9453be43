"""Changes of documents as the demo's story tells them, turned into operations on canonical."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memory.actions.change_sets import Operation
from memory.queries.documents import DocumentAt, read_document, require_text
from memory.versions.sealing import Put

TEXTS: Final = Path(__file__).with_name("texts")


@dataclass(frozen=True, slots=True)
class Add:
    """A new document. Its text is the file at that path in a folder of `texts/`."""

    path: str
    folder: str

    def operations(self, _store_id: str) -> Iterator[Operation]:
        """The operations that do it."""
        text = (TEXTS / self.folder / self.path.lstrip("/")).read_bytes().decode()
        yield Operation(self.path, Put(text), None)


@dataclass(frozen=True, slots=True)
class Edit:
    """New words in place of old ones, which canonical has exactly once."""

    path: str
    old: str
    new: str

    def operations(self, store_id: str) -> Iterator[Operation]:
        """The operations that do it. Raises ValueError when the old words are not there once."""
        document = read_document(store_id, self.path)
        text = require_text(document)
        if text.count(self.old) != 1:
            raise ValueError(f"{self.path} does not have the words exactly once: {self.old}")
        yield _rewrite(document, text.replace(self.old, self.new))


@dataclass(frozen=True, slots=True)
class Append:
    """More words at the end of a document."""

    path: str
    words: str

    def operations(self, store_id: str) -> Iterator[Operation]:
        """The operations that do it."""
        document = read_document(store_id, self.path)
        yield _rewrite(document, require_text(document) + self.words)


@dataclass(frozen=True, slots=True)
class Delete:
    """A document that goes."""

    path: str

    def operations(self, store_id: str) -> Iterator[Operation]:
        """The operations that do it."""
        document = read_document(store_id, self.path)
        yield Operation(self.path, None, document.content_sha256)


@dataclass(frozen=True, slots=True)
class Move:
    """A document that goes to another path, its text as it is."""

    path: str
    to: str

    def operations(self, store_id: str) -> Iterator[Operation]:
        """The operations that do it."""
        document = read_document(store_id, self.path)
        yield Operation(self.path, None, document.content_sha256)
        yield Operation(self.to, Put(require_text(document)), None)


type DemoChange = Add | Edit | Append | Delete | Move


def operations(store_id: str, changes: Iterable[DemoChange]) -> tuple[Operation, ...]:
    """The operations that carry out some changes on canonical as it is now."""
    return tuple(operation for change in changes for operation in change.operations(store_id))


def _rewrite(document: DocumentAt, text: str) -> Operation:
    return Operation(document.path, Put(text), document.content_sha256)
