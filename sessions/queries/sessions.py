"""Sessions with what they mount."""

from collections import defaultdict
from collections.abc import Collection

from sessions.models import Mount


def mounts_by_session(session_ids: Collection[str]) -> dict[str, list[Mount]]:
    """The mounts of some Sessions, in the order of each. One query."""
    found: dict[str, list[Mount]] = defaultdict(list)
    mounts = Mount.objects.filter(session__in=list(session_ids))
    for mount in mounts.order_by("session", "position"):
        found[mount.session_id].append(mount)
    return found
