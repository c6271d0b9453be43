"""The line of versions that leads to canonical, with the texts that each one changes (I2)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import batched
from typing import Final

from memory.models import DocumentVersion, MemoryVersion, VersionChange
from memory.queries.versions import canonical_id, versions_of
from wire.times import has_passed

VERSIONS_AT_ONCE: Final = 50


@dataclass(frozen=True, slots=True)
class Written:
    """A text that a version puts at a path. `text` is None when its body is erased or expired."""

    path: str
    media_type: str
    text: str | None
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class LineVersion:
    """A version of the line, and what it changes against its parent."""

    version: MemoryVersion
    gone: list[str]
    written: list[Written]


class Line:
    """The versions from the first one to canonical, oldest first."""

    def __init__(self, store_id: str) -> None:
        """Find the versions. Raises NotFound when the store has no canonical."""
        versions = {version.id: version for version in versions_of(store_id)}
        current: str | None = canonical_id(store_id)
        self._versions: list[MemoryVersion] = []
        while current is not None:
            self._versions.append(versions[current])
            current = versions[current].parent_id
        self._versions.reverse()

    def __len__(self) -> int:
        return len(self._versions)

    def __iter__(self) -> Iterator[LineVersion]:
        """Go through the versions; texts are read some versions at a time."""
        for some in batched(self._versions, VERSIONS_AT_ONCE):
            changes: dict[str, list[VersionChange]] = {version.id: [] for version in some}
            for change in VersionChange.objects.filter(version__in=list(changes)).order_by("path"):
                changes[change.version_id].append(change)
            for version in some:
                yield _line_version(version, changes[version.id])


def _line_version(version: MemoryVersion, changes: list[VersionChange]) -> LineVersion:
    ids = [change.after_id for change in changes if change.after_id]
    rows = DocumentVersion.objects.filter(id__in=ids).select_related("body")
    return LineVersion(
        version=version,
        gone=[change.path for change in changes if not change.after_id],
        written=[_written(row) for row in rows.order_by("path")],
    )


def _written(row: DocumentVersion) -> Written:
    body = getattr(row, "body", None)
    text = None if body is None or has_passed(row.expires_at) else body.text
    return Written(row.path, row.media_type, text, row.expires_at)
