"""What an import has stored, read back."""

from memory.models import DocumentBody, MemoryVersion
from memory.trees.hashing import content_sha256, page_hash, split_pages, tree_hash
from memory.trees.storage import load_tree
from wire.ids import id_from_uuid


def versions_of(store_id: str) -> list[MemoryVersion]:
    """A store's versions with their notes, oldest first."""
    return list(
        MemoryVersion.objects.filter(store=store_id).select_related("note").order_by("depth")
    )


def stored_tree(version: MemoryVersion) -> dict[str, bytes]:
    """The texts of a version; checks what the version says of its tree on the way."""
    entries = list(load_tree(version.id).entries_from())
    assert version.document_count == len(entries)
    assert version.total_bytes == sum(entry.size for entry in entries)
    assert version.tree_hash == tree_hash(map(page_hash, split_pages(entries)))
    ids = {entry.path: id_from_uuid("document", entry.document_version) for entry in entries}
    bodies = DocumentBody.objects.in_bulk(ids.values())
    tree = {path: bodies[document].text.encode() for path, document in ids.items()}
    assert [content_sha256(tree[entry.path]) for entry in entries] == [
        entry.content_sha256 for entry in entries
    ]
    return tree
