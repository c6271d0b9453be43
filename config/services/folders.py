"""Folders of sockets: the data folder itself, or a short private one when its path is too long."""

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from config.services.errors import ServiceError

MAX_SOCKET_BYTES = 100
"""The kernel takes 107 bytes on Linux, 103 on macOS."""


def socket_folder(data: Path, name: str, user: int) -> Path:
    """Where the socket `name` of a server on `data` belongs; `user` is the server's."""
    if len(os.fsencode(data)) + len(f"/{name}") <= MAX_SOCKET_BYTES:
        return data
    digest = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"checkfu-{user}-{digest}"


def own_folder(folder: Path, owner: tuple[int, int]) -> None:
    """Make a folder that only its owner may enter, or find it as that.

    Raises:
        ServiceError: it is there and somebody else may enter it.
    """
    if not folder.exists():
        make_folder(folder, owner)
    found = folder.lstat()
    private = stat.S_ISDIR(found.st_mode) and stat.S_IMODE(found.st_mode) == stat.S_IRWXU
    if not private or found.st_uid != owner[0]:
        raise ServiceError(f"{folder} is not this user's alone; remove it.")


def make_folder(folder: Path, owner: tuple[int, int]) -> None:
    """Make a folder for a user and a group that only that user may enter."""
    folder.mkdir(mode=0o700, parents=True)
    os.chown(folder, *owner)
