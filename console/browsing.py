"""Where a reader is in a version's tree, and where its documents' links lead."""

import posixpath
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from console.links import document_url


@dataclass(frozen=True, slots=True)
class Place:
    """A directory: its path begins and ends with a slash."""

    path: str

    @property
    def parent(self) -> str:
        """The directory above; the root is its own."""
        return self.path.rstrip("/").rpartition("/")[0] + "/"

    @property
    def crumbs(self) -> list[tuple[str, str]]:
        """(name, path) of each directory from the root down to this one."""
        names = [name for name in self.path.split("/") if name]
        return [(name, "/" + "/".join(names[:depth]) + "/") for depth, name in enumerate(names, 1)]


def linked_documents(store_id: str, path: str, version_id: str) -> Callable[[str], str | None]:
    """Make the function that sends a document's relative links to pages at the same version.

    Args:
        path: of the document that holds the links.
    """

    def resolve(link: str) -> str | None:
        target = unquote(urlsplit(link).path)
        if not target:
            return None
        joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        return document_url(store_id, "/" + joined.lstrip("/"), version_id)

    return resolve
