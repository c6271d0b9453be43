"""Where an import of a git history goes on (contract I2)."""

from collections.abc import Collection, Iterable

import pygit2

from memory.git.history import History
from memory.git.repository import RepositoryError, reading
from memory.models import MemoryVersion, VersionKind
from memory.trees.editing import TreeEntry
from memory.trees.hashing import content_sha256
from wire.errors import name_some


def last_imported(store_id: str) -> MemoryVersion:
    """The last version that came from git, with its note and the ancestors that sealing reads.

    Raises:
        RepositoryError: none did.
    """
    versions = MemoryVersion.objects.filter(
        store=store_id,
        kind=VersionKind.IMPORT,
        note__source_id__isnull=False,
        note__source_kind=None,  # an export says of which kind a revision was; git does not
    )
    last = versions.select_related("note", "jump", "jump__jump").order_by("-id").first()
    if last is None:
        raise RepositoryError(f"{store_id} was not imported from git, so nothing can be resumed.")
    return last


def require_agreement(
    history: History, documents: Iterable[TreeEntry], fenced: Collection[str]
) -> None:
    """Refuse to go on unless the commit that was imported last has the very same texts.

    Raises:
        RepositoryError: it has not: another folder was imported, or another repository.
    """
    tree = history.tree_after()
    differing = [
        document.path
        for document in documents
        if document.path not in fenced and not _agrees(tree, document)
    ]
    if differing:
        raise RepositoryError(
            "The last imported version does not agree with its commit at"
            f" {name_some(differing)}. Was another folder imported (--path)?"
        )


def _agrees(tree: pygit2.Tree | None, document: TreeEntry) -> bool:
    if tree is None:
        return False
    try:
        found = tree / document.path.removeprefix("/")
    except KeyError:
        return False
    with reading():
        return (
            isinstance(found, pygit2.Blob) and content_sha256(found.data) == document.content_sha256
        )
