"""Paths at which a store ever held a document, on whatever ref (contract M7)."""

from dataclasses import dataclass

from memory.models import DocumentVersion
from memory.trees.storage import load_tree


@dataclass(frozen=True, slots=True)
class KnownPath:
    """A path of a store's history, and whether a version that was asked about holds it."""

    path: str
    is_held: bool


def find_known_paths(store_id: str, text: str, version_id: str, *, limit: int) -> list[KnownPath]:
    """The paths that contain a text, whatever its case, by their bytes; `/a/` finds a directory.

    Args:
        version_id: the version that `is_held` is about.
    """
    documents = DocumentVersion.objects.filter(store=store_id, path__icontains=text)
    paths = list(documents.order_by("path").values_list("path", flat=True).distinct()[:limit])
    tree = load_tree(version_id)
    tree.preload(paths)
    return [KnownPath(path, is_held=tree.find(path) is not None) for path in paths]
