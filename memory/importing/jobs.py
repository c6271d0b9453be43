"""Imports as jobs: building, discarding, and the chore that sweeps what was abandoned (I1)."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from database.transactions import step
from jobs.enqueueing import enqueue
from jobs.registry import JobKind, Progress, Work
from jobs.registry import register as register_kind
from memory.importing.building import build_batch
from memory.importing.discarding import discard_built, discard_staged
from memory.importing.ending import abandon, bury, refuse
from memory.models import ImportState, StoreImport
from tenancy.caller import platform_caller
from wire.errors import ApiError, Malformed, NotFound
from wire.times import now

IMPORT: Final = "store.import"
DISCARD: Final = "import.discard"
SWEEP: Final = "imports.sweep"

PATIENCE: Final = timedelta(hours=24)
"""How long an import that nobody gets on with is kept."""

SWEPT_AT_ONCE: Final = 50

REFUSED: Final = "The export was refused; the import says which item, and why."


def register() -> None:
    """Let workers build, discard and sweep imports."""
    register_kind(JobKind(IMPORT, run_import))
    register_kind(JobKind(DISCARD, run_discard))
    register_kind(JobKind(SWEEP, sweep, every=timedelta(hours=1)))


@step
def import_batch(store_id: str, position: Mapping[str, Any]) -> tuple[int, dict[str, Any] | None]:
    """Do the next batch of an import: build the store, then clear away what was received.

    What is wrong with the export ends the import, in a batch of its own: the batches after it clear
    away what was built.

    Returns:
        how many items were taken, and where the next batch begins (None at the end).

    Raises:
        Malformed: the export was refused and all is cleared away.
        NotFound: the import was abandoned.
    """
    made = StoreImport.objects.select_for_update().select_related("workspace").get(store=store_id)
    if made.state == ImportState.ABANDONED:
        raise NotFound("The import was abandoned.")
    if made.state != ImportState.BUILDING:
        return 0, _clear(made)
    try:
        built = build_batch(made, position)
    except ApiError as error:
        refuse(made, error)
        return 0, {}
    StoreImport.objects.filter(store=store_id).update(touched_at=now())
    return built.taken, built.position or {}


def _clear(made: StoreImport) -> dict[str, Any] | None:
    """Clear away the next rows; the position stays at nothing while some are left."""
    if discard_staged(made.store_id):
        return {}
    if made.state == ImportState.SUCCEEDED:
        return None
    if discard_built(made.store_id):
        return {}
    raise Malformed(REFUSED)


def run_import(work: Work) -> Progress:
    """Do the next batch of the import that a job is about."""
    assert work.target_id
    taken, position = import_batch(work.target_id, work.position)
    return Progress(
        finished=position is None,
        done=work.done + taken,
        total=work.parameters["items"],
        position=position or {},
    )


def run_discard(work: Work) -> Progress:
    """Delete the next rows of an abandoned import; with the last ones, bury its store."""
    assert work.target_id
    more = discard_staged(work.target_id) or discard_built(work.target_id)
    if not more:
        bury(work.target_id)
    return Progress(finished=not more, done=work.done + 1)


def sweep(work: Work) -> Progress:
    """Abandon some of the imports that nobody has got on with for a day."""
    left = StoreImport.objects.filter(
        state__in=[ImportState.RECEIVING, ImportState.BUILDING, ImportState.FAILED],
        touched_at__lt=now() - PATIENCE,
    )
    locked = left.select_for_update(skip_locked=True, of=("self",)).select_related("workspace")
    found = list(locked.order_by("touched_at")[:SWEPT_AT_ONCE])
    for made in found:
        caller = platform_caller(made.workspace)
        abandon(caller=caller, made=made)
        enqueue(caller=caller, kind=DISCARD, target_kind="store", target_id=made.store_id)
    done = work.done + len(found)
    return Progress(finished=len(found) < SWEPT_AT_ONCE, done=done, result={"abandoned": done})
