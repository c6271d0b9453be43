"""Retiring superseded bodies: those that no live ref reaches any more since some days (X3).

A body is reached through the tree of a version that a ref is at: canonical, a Session's, an open
Proposal's or a curation's. Nothing else keeps one. When it was reached last need not be known: it
is enough that no tree holds it in which a ref is now or was within those days, which the reflog
tells, and that its own version is older.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from django.db import connection

from jobs.registry import JobKind, Progress, Work
from jobs.registry import register as register_kind
from memory.erasure.sweeps import Due, sweep
from memory.models import BodyErasure, RetentionPolicy
from wire.ids import id_from_uuid, uuid_from_id
from wire.times import now

RETIRE: Final = "retention.retire"

BATCH: Final = 1_000
"""Document versions that one batch looks at, in the order of their paths."""

# Documents that stand side by side in the order of paths stand in few pages of each tree: a batch
# loads those, each once however many versions share it, and no others.
_SUPERSEDED = """
WITH looked AS MATERIALIZED (
    SELECT id, path, introduced_by_id FROM memory_documentversion
    WHERE store_id = %(store)s {behind}
    ORDER BY path, id LIMIT %(limit)s
),
ends AS MATERIALIZED (
    SELECT min(path) AS first, max(path) AS last FROM looked
),
roots AS (
    SELECT version_id AS id FROM memory_ref WHERE store_id = %(store)s
    UNION
    SELECT before_id FROM memory_refmove
    WHERE store_id = %(store)s AND at > %(since)s AND before_id IS NOT NULL
),
pages AS (
    SELECT DISTINCT unnest(t.pages[
        width_bucket(ends.first, t.first_paths):width_bucket(ends.last, t.first_paths)
    ]) AS id
    FROM ends, roots JOIN memory_versiontree t ON t.version_id = roots.id
),
reached AS (
    SELECT DISTINCT unnest(p.document_versions) AS id FROM pages JOIN memory_treepage p USING (id)
)
SELECT looked.id,
       v.created_at <= %(since)s
       AND b.document_version_id IS NOT NULL
       AND reached.id IS NULL
FROM looked
JOIN memory_memoryversion v ON v.id = looked.introduced_by_id
LEFT JOIN memory_documentbody b ON b.document_version_id = looked.id
LEFT JOIN reached ON reached.id = looked.id
ORDER BY looked.path, looked.id
"""
_BEHIND = """
AND (path, id) > (SELECT path, id FROM memory_documentversion WHERE id = %(behind)s)
"""


def register() -> None:
    """Let workers retire superseded bodies in a Workspace."""
    register_kind(JobKind(RETIRE, retire))


def retire(work: Work) -> Progress:
    """Erase the next superseded bodies, by the policy as it is now."""
    policy = RetentionPolicy.objects.filter(workspace=work.workspace_id).first()
    days = policy.retire_superseded_after_days if policy else None

    def find_due(store_id: str, behind: str | None) -> Due:
        return _superseded(store_id, behind, timedelta(days=days)) if days else Due((), None)

    return sweep(work, find_due, BodyErasure.Reason.RETIRED)


def _superseded(store_id: str, behind: str | None, kept_for: timedelta) -> Due:
    arguments: Mapping[str, Any] = {
        "store": uuid_from_id(store_id),
        "since": now() - kept_for,
        "limit": BATCH,
        "behind": uuid_from_id(behind) if behind else None,
    }
    with connection.cursor() as cursor:
        cursor.execute(_SUPERSEDED.format(behind=_BEHIND if behind else ""), arguments)
        rows = [(id_from_uuid("document", row[0]), row[1]) for row in cursor.fetchall()]
    due = [document for document, is_superseded in rows if is_superseded]
    return Due(due, rows[-1][0] if len(rows) == BATCH else None)
