"""Exports in files: a page a file, a page a line, or a whole export (contract I1)."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

import orjson

from memory.importing.faults import BundleFault
from wire.errors import Malformed
from wire.strictjson import parse_json

MAX_BYTES: Final = 8 * 1024 * 1024
"""Of one page, or of a whole export: as much as a request may hold."""


def parts_of(files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """The pages, or the whole export, in some files, one after the other.

    Raises:
        BundleFault: something is no JSON object, or larger than MAX_BYTES; the file is named.
        OSError: a file cannot be read.
    """
    for path in files:
        with path.open("rb") as file:
            for number, raw in enumerate(_texts(file), start=1):
                yield _parse(raw, f"{path}, object {number}")


def _texts(file: BinaryIO) -> Iterator[bytes]:
    """One JSON text a line, or one over all lines."""
    first = file.readline(MAX_BYTES + 1)
    if not _is_whole(first):
        yield first + file.read(MAX_BYTES + 1)
        return
    yield first
    while line := file.readline(MAX_BYTES + 1):
        if line.strip():
            yield line


def _is_whole(text: bytes) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True


def _parse(raw: bytes, place: str) -> dict[str, Any]:
    if len(raw) > MAX_BYTES:
        raise BundleFault(f"{place}: it is larger than {MAX_BYTES:,} bytes.")
    try:
        part = parse_json(raw)
    except Malformed as error:
        raise BundleFault(f"{place}: {error.message}") from error
    if not isinstance(part, dict):
        raise BundleFault(f"{place}: it is no JSON object.")
    return part
