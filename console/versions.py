"""Versions that the Console mentions, with what it says of them."""

from collections.abc import Iterable

from memory.models import MemoryVersion


def known_versions(version_ids: Iterable[str]) -> dict[str, MemoryVersion]:
    """Some versions with their notes, by their IDs. One query."""
    wanted = list(version_ids)
    versions = MemoryVersion.objects.select_related("note").filter(id__in=wanted)
    return {version.id: version for version in versions} if wanted else {}
