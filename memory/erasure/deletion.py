"""Deleting a store as a job: fenced already, it is drained batch by batch, then buried (X2)."""

from django.db import connection
from django.db.models import F

from database.transactions import step
from jobs.registry import JobKind, Progress, Work
from jobs.registry import register as register_kind
from memory.erasure.closing import DELETE
from memory.erasure.draining import PARTS, count_rows, drain_batch, part_after
from memory.erasure.readback import look
from memory.models import ErasureReport, Lifecycle, MemoryStore
from tenancy.actions.permissions import revoke_all_on
from tenancy.audit import record
from tenancy.authority import Target
from tenancy.caller import platform_caller
from tenancy.models import TargetKind
from wire.ids import uuid_from_id
from wire.times import now

# Jumps from one path of the index to the next, however many versions each has.
_PATHS = """
WITH RECURSIVE one (path) AS (
    (SELECT path FROM memory_documentversion WHERE store_id = %(store)s ORDER BY path LIMIT 1)
    UNION ALL
    SELECT (SELECT path FROM memory_documentversion
            WHERE store_id = %(store)s AND path > one.path ORDER BY path LIMIT 1)
    FROM one WHERE one.path IS NOT NULL
)
SELECT count(path) FROM one
"""


def register() -> None:
    """Let workers delete stores."""
    register_kind(JobKind(DELETE, delete))


def delete(work: Work) -> Progress:
    """Delete the next rows of the store that a job is about; with the last ones, bury it."""
    assert work.target_id
    if not work.position:
        return _begin(work.target_id)
    part = work.position["part"]
    drained = drain_batch(work.target_id, part, work.position.get("after"))
    rows = work.result.get(part, 0) + drained.rows
    result = {**work.result, part: rows} if rows else dict(work.result)
    going_on = part if drained.after else part_after(part)
    if going_on is None:
        _bury(work, work.target_id, result)
    done = work.done + drained.rows
    return Progress(
        finished=going_on is None,
        done=done,
        total=max(work.total or 0, done) if going_on else done,
        position={"part": going_on} | ({"after": drained.after.hex} if drained.after else {}),
        result=result,
    )


def _begin(store_id: str) -> Progress:
    """Look how much there is, before any of it goes."""
    with connection.cursor() as cursor:
        cursor.execute(_PATHS, {"store": uuid_from_id(store_id)})
        paths = int(cursor.fetchone()[0])
    return Progress(
        finished=False,
        done=0,
        total=count_rows(store_id),
        position={"part": next(iter(PARTS))},
        result={"paths": paths},
    )


@step
def _bury(work: Work, store_id: str, result: dict[str, int]) -> None:
    """Leave the tombstone: an identifier that answers 404 for ever, and no word of anybody's."""
    store = MemoryStore.objects.select_related("workspace").get(id=store_id)
    MemoryStore.objects.filter(id=store_id).update(
        lifecycle=Lifecycle.DELETED,
        name="",
        description="",
        metadata={},
        review_rules=[],
        version=F("version") + 1,
        updated_at=now(),
    )
    report = ErasureReport.objects.get(job=work.job_id)
    report.version_count = result.get("versions", 0)
    report.path_count = result["paths"]
    report.hash_count = result.get("bodies", 0)
    report.save()
    caller = platform_caller(store.workspace)
    record(
        caller=caller,
        event="store.deleted",
        target_kind="store",
        target_id=store_id,
        detail=result,
    )
    look(report)
    revoke_all_on(caller=caller, target=Target(TargetKind.STORE, store_id))
