"""Which changed documents of a Proposal a person has ticked off as viewed."""

from collections.abc import Collection
from hashlib import sha256

from memory.trees.diffs import PathChange
from proposals.models import Viewing


def digest_of(change: PathChange) -> bytes:
    """What a viewing is of: the path, and what the head holds there; its deletion is one, too."""
    content = change.after.content_sha256 if change.after else b""
    return sha256(b"\0".join((change.path.encode(), content))).digest()


def viewed_by(principal_id: str, store_id: str, changes: Collection[PathChange]) -> set[bytes]:
    """The digests, among those of some changes, that a person has viewed. One query."""
    mine = Viewing.objects.filter(principal_uuid=principal_id, store=store_id)
    wanted = {digest_of(change) for change in changes}
    return {bytes(digest) for digest in mine.values_list("digest", flat=True) if digest in wanted}
