"""What many versions are at once: on the way to another, and what they changed (contract R3)."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import UUID

from django.db import connection

from database.arrays import array_literal
from memory.versions.ancestry import DESCENDS
from wire.ids import id_from_uuid, uuid_from_id

_ON_THE_WAY = f"""
SELECT goal.id
FROM memory_memoryversion tip
JOIN memory_memoryversion goal
  ON goal.store_id = tip.store_id AND goal.id = ANY(%(versions)s::uuid[])
WHERE tip.id = %(tip)s AND goal.depth <= tip.depth AND {DESCENDS}
"""  # noqa: S608

_FIRST_CHANGES = """
SELECT v.id, c.path, CASE
         WHEN c.before_id IS NULL THEN 'added' WHEN c.after_id IS NULL THEN 'deleted'
         ELSE 'modified' END
FROM unnest(%(versions)s::uuid[]) v(id)
CROSS JOIN LATERAL (
    SELECT path, before_id, after_id FROM memory_versionchange
    WHERE version_id = v.id ORDER BY path LIMIT %(limit)s
) c
"""

_BY_DAY = """
SELECT (created_at AT TIME ZONE 'UTC')::date, count(*)
FROM memory_memoryversion
WHERE store_id = %(store)s AND id >= %(since)s
GROUP BY 1
"""


@dataclass(frozen=True, slots=True)
class ChangedPath:
    """A path that a version changed against its parent: `added`, `modified` or `deleted`."""

    path: str
    change: str


def on_the_way_to(tip_id: str, version_ids: Collection[str]) -> set[str]:
    """Those of some versions that another one descends from, or is. One query."""
    if not version_ids:
        return set()
    values: dict[str, Any] = {"tip": uuid_from_id(tip_id), "versions": _uuids(version_ids)}
    with connection.cursor() as cursor:
        cursor.execute(_ON_THE_WAY, values)
        return {id_from_uuid("version", row[0]) for row in cursor.fetchall()}


def first_changes(version_ids: Collection[str], *, limit: int) -> dict[str, list[ChangedPath]]:
    """The first paths that each version changed, by path bytes, however many it changed."""
    found: dict[str, list[ChangedPath]] = defaultdict(list)
    values: dict[str, Any] = {"versions": _uuids(version_ids), "limit": limit}
    with connection.cursor() as cursor:
        cursor.execute(_FIRST_CHANGES, values)
        for version, path, change in cursor.fetchall():
            found[id_from_uuid("version", version)].append(ChangedPath(path, change))
    return found


def versions_by_day(store_id: str, since: date) -> dict[date, int]:
    """How many versions were sealed on each day, in UTC; days without one are left out.

    Identifiers begin with their time, so older versions are not looked at.
    """
    begin = datetime.combine(since, time.min, UTC)
    values = {"store": uuid_from_id(store_id), "since": UUID(int=_milliseconds(begin) << 80)}
    with connection.cursor() as cursor:
        cursor.execute(_BY_DAY, values)
        return dict(cursor.fetchall())


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def _uuids(version_ids: Collection[str]) -> str:
    return array_literal([uuid_from_id(version_id) for version_id in version_ids])
