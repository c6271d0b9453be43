"""Documents as one file, tar or zip: the same documents are the same bytes, whoever packs them.

So nothing of the moment or of the machine is in it: no times, no owners, no directories of their
own, and no compression, whose output differs between builds of the same library.
"""

import stat
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from enum import StrEnum
from io import BytesIO
from typing import Final, Protocol

LAYOUT: Final = 1
"""Counts up when the same documents come to other bytes than before; it is part of entity tags."""

READABLE: Final = 0o644
FIRST_OF_ZIP: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip can tell."""
UNIX: Final = 3


class ArchiveFormat(StrEnum):
    """What kind of file."""

    TAR = "tar"
    ZIP = "zip"


class Packer(Protocol):
    """Makes one archive, bit by bit: what it returns, put together, is the file."""

    def add(self, path: str, content: bytes) -> bytes:
        """The next bytes, which hold a document; its name is its path without the first slash."""

    def end(self) -> bytes:
        """The last bytes. Without them nobody takes the archive for whole."""


class TarPacker:
    """Packs a tar in the pax format, which tells any path that a document may have."""

    def add(self, path: str, content: bytes) -> bytes:
        """A header, the content, and what fills its last block."""
        member = tarfile.TarInfo(_name(path))
        member.size, member.mode = len(content), READABLE
        header = member.tobuf(tarfile.PAX_FORMAT, "utf-8")
        return header + content + bytes(-len(content) % tarfile.BLOCKSIZE)

    def end(self) -> bytes:
        """Two empty blocks."""
        return bytes(2 * tarfile.BLOCKSIZE)


class ZipPacker:
    """Packs a zip with sizes in front of contents, which any reader can unpack as it comes.

    Names are kept until the end, where a zip lists them; contents are not.
    """

    def __init__(self) -> None:
        self._outlet = _Outlet()
        self._zip = zipfile.ZipFile(self._outlet, "w")  # type: ignore[call-overload]

    def add(self, path: str, content: bytes) -> bytes:
        """A header and the content."""
        member = zipfile.ZipInfo(_name(path), FIRST_OF_ZIP)
        member.create_system = UNIX
        member.external_attr = (stat.S_IFREG | READABLE) << 16
        self._zip.writestr(member, content)
        return self._outlet.take()

    def end(self) -> bytes:
        """The list of all names."""
        self._zip.close()
        return self._outlet.take()


class _Outlet:
    """A file of which only the end is at hand: what was taken already cannot be changed.

    Seekable, so that `zipfile` goes back to the header that it has just written.
    """

    def __init__(self) -> None:
        self._taken = 0
        self._rest = BytesIO()

    def tell(self) -> int:
        return self._taken + self._rest.tell()

    def seek(self, position: int) -> int:
        return self._taken + self._rest.seek(position - self._taken)

    def write(self, data: bytes) -> int:
        return self._rest.write(data)

    def flush(self) -> None:
        """All is where it belongs."""

    def take(self) -> bytes:
        """What was written since the last time."""
        rest = self._rest.getvalue()
        self._taken, self._rest = self._taken + len(rest), BytesIO()
        return rest


_PACKERS: Final[Mapping[ArchiveFormat, Callable[[], Packer]]] = {
    ArchiveFormat.TAR: TarPacker,
    ArchiveFormat.ZIP: ZipPacker,
}


def packer_of(form: ArchiveFormat) -> Packer:
    """What makes an archive of a format."""
    return _PACKERS[form]()


def archive_tag(tree_hash: str, form: ArchiveFormat) -> str:
    """The strong entity tag of a version's archive: its tree says every byte of it.

    Args:
        tree_hash: as the wire spells it.
    """
    return f'"{tree_hash}.{LAYOUT}.{form}"'


def _name(path: str) -> str:
    """A document's name in an archive: relative, and never above where it is unpacked (M2)."""
    return path.removeprefix("/")
