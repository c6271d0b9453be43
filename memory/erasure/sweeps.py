"""Sweeps: jobs that go through the stores of a Workspace and erase bodies in batches (X3).

A batch locks the row of one store, looks what has to go from it, and erases that. Writers lock
the same row at their end. So whatever a batch sees stays so until it commits, and a writer that
comes later sees what was erased.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from database.transactions import step
from jobs.registry import Progress, Work
from memory.access import GONE
from memory.erasure.bodies import count_erasure, erase_bodies
from memory.erasure.readback import look
from memory.erasure.reports import open_report
from memory.models import BodyErasure, ErasureReport, MemoryStore
from memory.stores import hold_living_store
from tenancy.caller import platform_caller
from tenancy.models import Workspace


@dataclass(frozen=True, slots=True)
class Due:
    """What a look into one store found.

    Attributes:
        documents: the document versions (`mdoc_…`) whose bodies have to go.
        behind: the document version behind which to look next; None when the store is done.
    """

    documents: Sequence[str]
    behind: str | None


type FindDue = Callable[[str, str | None], Due]
"""(store, continue behind this document version) → what has to go."""


def sweep(work: Work, find_due: FindDue, reason: BodyErasure.Reason) -> Progress:
    """Do one batch: erase what `find_due` finds next.

    Args:
        reason: why a body goes that has not expired.
    """
    assert work.workspace_id
    position = dict(work.position)
    store_id = position.get("store") or _next_store(work.workspace_id, position.get("done"))
    if store_id is None:
        return _progress(work, finished=True, erased=0, position={})
    held = hold_living_store(store_id)
    due = find_due(store_id, position.get("behind")) if held else Due((), None)
    erased = _erase(work, store_id, due.documents, reason) if due.documents else 0
    if due.behind is None:
        return _progress(work, finished=False, erased=erased, position={"done": store_id})
    return _progress(
        work, finished=False, erased=erased, position={"store": store_id, "behind": due.behind}
    )


def _next_store(workspace_id: str, behind: str | None) -> str | None:
    stores = MemoryStore.objects.filter(workspace=workspace_id).exclude(lifecycle__in=GONE)
    if behind:
        stores = stores.filter(id__gt=behind)
    return stores.order_by("id").values_list("id", flat=True).first()


@step
def _erase(work: Work, store_id: str, documents: Sequence[str], reason: BodyErasure.Reason) -> int:
    erased = erase_bodies(documents=documents, reason=reason, job_id=work.job_id)
    if erased:
        count_erasure(store_id)
        _report(work)
    return erased


@step
def _report(work: Work) -> None:
    """Begin the job's erasure report with the first body that goes."""
    if not ErasureReport.objects.filter(job=work.job_id).exists():
        open_report(
            caller=platform_caller(Workspace.objects.get(id=work.workspace_id)),
            job_id=work.job_id,
            store_id=None,
            operation=ErasureReport.Operation.RETENTION,
        )


@step
def _close_report(work: Work, erased: int) -> None:
    """Say how many bodies went, if any, and look what is left of them."""
    report = ErasureReport.objects.filter(job=work.job_id).first()
    if report:
        report.hash_count = erased
        report.save()
        look(report)


def _progress(work: Work, *, finished: bool, erased: int, position: dict[str, Any]) -> Progress:
    done = work.done + erased
    if finished:
        _close_report(work, done)
    return Progress(
        finished=finished,
        done=done,
        total=work.total,
        position=position,
        result={"erased": done},
    )
