"""Imports as jobs: building a store, and the chore that sweeps what nobody gets on with (I1)."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from database.transactions import step
from jobs.registry import JobKind, Progress, Work
from jobs.registry import register as register_kind
from memory.importing.building import build_batch
from memory.importing.discarding import BUILT, RECEIVED, discard_batch
from memory.importing.ending import abandon, refuse
from memory.importing.holding import hold_import
from memory.models import ImportState, Lifecycle, StoreImport
from tenancy.caller import platform_caller
from wire.errors import ApiError, Malformed
from wire.times import now

IMPORT: Final = "store.import"
SWEEP: Final = "imports.sweep"

PATIENCE: Final = timedelta(hours=24)
"""How long an import that nobody gets on with is kept."""

SWEPT_AT_ONCE: Final = 50

REFUSED: Final = "The export was refused; the import says which item, and why."


def register() -> None:
    """Let workers build and sweep imports."""
    register_kind(JobKind(IMPORT, run_import))
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
    made = hold_import(store_id)
    if made.state != ImportState.BUILDING:
        return 0, _clear_away(made, position)
    try:
        built = build_batch(made, position)
    except ApiError as error:
        refuse(made, error)
        return 0, {}
    StoreImport.objects.filter(store=store_id).update(touched_at=now())
    return built.taken, built.position or {}


def _clear_away(made: StoreImport, position: Mapping[str, Any]) -> dict[str, Any] | None:
    if made.state == ImportState.SUCCEEDED:
        return discard_batch(made.store_id, RECEIVED, position)
    if "cleared" in position:  # nothing is lost when this batch rolls back
        raise Malformed(REFUSED)
    return discard_batch(made.store_id, BUILT, position) or {"cleared": True}


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


def sweep(work: Work) -> Progress:
    """Abandon some of the imports that nobody has got on with for a day."""
    left = StoreImport.objects.filter(
        store__lifecycle=Lifecycle.PENDING, touched_at__lt=now() - PATIENCE
    )
    found = list(left.order_by("touched_at").values_list("store", flat=True)[:SWEPT_AT_ONCE])
    for store_id in found:
        made = hold_import(store_id)
        abandon(caller=platform_caller(made.workspace), made=made)
    done = work.done + len(found)
    return Progress(finished=len(found) < SWEPT_AT_ONCE, done=done, result={"abandoned": done})
