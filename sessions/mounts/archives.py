"""A mount's documents as one file, sent in parts and never held as a whole (contract R5)."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from uuid import UUID

from django.db import InterfaceError, OperationalError

from memory.documents.packing import ArchiveFormat, Packer, packer_of
from memory.queries.diffs import BodyState, bodies_of
from memory.trees.editing import TreeEntry
from memory.trees.storage import walk_entries
from sessions.mounts.reading import Mounted, not_retained, recheck_mounted
from wire.errors import ApiError
from wire.ids import id_from_uuid
from wire.times import earliest

PART_BYTES: Final = 1024 * 1024
PART_DOCUMENTS: Final = 500

logger = logging.getLogger(__name__)


class ArchiveCutShort(Exception):
    """An archive may not be released to its end; breaks off the answer, so that nobody keeps it."""


def archive_parts(mounted: Mounted, form: ArchiveFormat) -> Iterator[bytes]:
    """Begin an archive of all documents that a mount reads, in the order of their paths.

    The first part is made before anything is returned, so what refuses it is an ordinary answer.
    Each part is looked at again before it leaves. When one may not be released any more, the
    answer ends without its end: what was sent until then was allowed when it was sent.

    Raises:
        as `sessions.mounts.reading.recheck_mounted` says.
    """
    parts = _parts(mounted, packer_of(form))
    first = next(parts)
    return _rest(first, parts)


def _rest(first: bytes, parts: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    try:
        yield from parts
    except (ApiError, OperationalError, InterfaceError) as error:  # the status is sent already
        logger.warning("an archive ended early: %s", type(error).__name__)
        raise ArchiveCutShort(type(error).__name__) from None


def _parts(mounted: Mounted, packer: Packer) -> Iterator[bytes]:
    for entries in in_parts(walk_entries(mounted.version.id)):
        bodies = bodies_of(entries)
        part = b"".join(
            packer.add(entry.path, _text(mounted, bodies[entry.document_version]))
            for entry in entries
        )
        _recheck(mounted, bodies)
        yield part
    end = packer.end()
    _recheck(mounted, {})
    yield end


def in_parts(entries: Iterable[TreeEntry]) -> Iterator[Sequence[TreeEntry]]:
    """Cut entries so that the texts of each part are a mebibyte at most."""
    part: list[TreeEntry] = []
    size = 0
    for entry in entries:
        if part and (size + entry.size > PART_BYTES or len(part) == PART_DOCUMENTS):
            yield part
            part, size = [], 0
        part.append(entry)
        size += entry.size
    if part:
        yield part


def _text(mounted: Mounted, body: BodyState) -> bytes:
    if body.text is None:
        raise not_retained(mounted.version.id)
    return body.text.encode()


def _recheck(mounted: Mounted, bodies: dict[UUID, BodyState]) -> None:
    documents = [id_from_uuid("document", uuid) for uuid in bodies]
    recheck_mounted(mounted, documents, earliest(body.expires_at for body in bodies.values()))
