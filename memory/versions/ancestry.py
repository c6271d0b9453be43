"""Ancestors in logarithmic time: each version points at its parent and far above it.

The far pointers form a skew-binary skip list (E. Myers, "An applicative random-access
stack", 1983): constant work and one extra column a version, about two hops a bit of depth.
"""

from django.db import connection

from memory.models import MemoryVersion
from wire.ids import uuid_from_id

DESCENDS = """
EXISTS (
    WITH RECURSIVE climb (id, depth) AS (
        SELECT tip.id, tip.depth
        UNION ALL
        SELECT next.id, next.depth
        FROM climb
        JOIN memory_memoryversion here ON here.id = climb.id
        LEFT JOIN memory_memoryversion far ON far.id = here.jump_id
        JOIN memory_memoryversion next
          ON next.id = CASE WHEN far.depth >= goal.depth THEN far.id ELSE here.parent_id END
        WHERE climb.depth > goal.depth
    )
    SELECT FROM climb WHERE climb.id = goal.id
)
"""
"""A condition on two versions of an outer query: `tip` descends from, or is, `goal`."""

_IS_ANCESTOR = f"""
SELECT EXISTS (
    SELECT FROM memory_memoryversion tip, memory_memoryversion goal
    WHERE tip.id = %(version)s AND goal.id = %(ancestor)s AND {DESCENDS}
)
"""  # noqa: S608


def jump_from(parent: MemoryVersion) -> MemoryVersion:
    """The far ancestor of a version whose parent is `parent`.

    `parent.jump` and `parent.jump.jump` are read: select them with the parent.
    """
    near = parent.jump
    far = near.jump if near else None
    if near and far and parent.depth - near.depth == near.depth - far.depth:
        return far
    return parent


def is_ancestor(ancestor_id: str, version_id: str) -> bool:
    """Whether `version_id` descends from (or is) `ancestor_id`. One query."""
    ends = {"ancestor": uuid_from_id(ancestor_id), "version": uuid_from_id(version_id)}
    with connection.cursor() as cursor:
        cursor.execute(_IS_ANCESTOR, ends)
        return bool(cursor.fetchone()[0])
