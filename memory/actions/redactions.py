"""Redaction: paths of a store are erased in every version, and fenced for ever (contract X1).

What law wants erased goes from an archived store too: archiving closes a store to its writers.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from database.transactions import durable, step
from jobs.enqueueing import enqueue
from memory import receipts, refs
from memory.access import StoreAccess, reopened
from memory.actors import REDACTOR
from memory.erasure.bodies import count_erasure, erase_bodies_at
from memory.erasure.erasers import Redaction, erasers
from memory.erasure.notes import erase_messages, erase_tags
from memory.erasure.readback import READ_BACK
from memory.erasure.reports import open_report
from memory.erasure.touched import count_versions_holding, known_paths, versions_touching
from memory.models import ErasureReport, MemoryVersion, PathFence, VersionKind
from memory.stores import hold_store
from memory.versions.sealing import draft, seal
from tenancy.administration import require_admin, require_bound
from tenancy.audit import record
from wire.idempotency import IdempotencyKey
from wire.times import now


@dataclass(frozen=True, slots=True)
class Counts:
    """What a redaction took away.

    Attributes:
        version_count: versions whose tree held one of the paths.
        path_count: those of the paths at which there ever was a document.
        hash_count: distinct contents whose bodies went.
    """

    version_count: int
    path_count: int
    hash_count: int


@dataclass(frozen=True, slots=True)
class Redacted:
    """What a redaction took away, and the report that tells what is known of each sink.

    Attributes:
        report_id: the ID of the job that reads back.
        replayed: whether this request only told it again.
    """

    report_id: str
    counts: Counts
    replayed: bool


def require_redaction(access: StoreAccess) -> None:
    """Refuse whoever may not redact, then a store of which nothing is told.

    Raises:
        PolicyDenied: the caller does not administer the Workspace, or acts for a principal that
            was only named.
        NotFound: the store is pending, or being deleted.
    """
    require_admin(access.caller)
    require_bound(access.caller)
    access.require_visible()


@durable
def redact(
    *,
    access: StoreAccess,
    paths: Collection[str],
    require: Callable[[StoreAccess], None] | None = None,
    key: IdempotencyKey | None = None,
) -> Redacted:
    """Erase paths of a store in every version, and never let anything be written there again.

    In one go: bodies, messages, tags and other words about the paths go; each ref that moves
    and held one gets a `redaction` version without them; open Proposals that touch one are
    superseded.
    Paths that the store never held are fenced, too. A job then reads back what can be looked at.

    Args:
        paths: normalized ones.
        require: refuses the redaction; asked when nobody else can change the store any more, so
            that what somebody was shown can be held against what there is.

    Raises:
        PolicyDenied, NotFound: as `require_redaction` says.
        Conflict: the key was used with another request.
        and whatever `require` raises.
    """
    require_redaction(access)
    receipt = receipts.claim(caller=access.caller, key=key, store_id=access.store_id)
    if receipt.outcome:
        return _told_again(receipt.outcome)
    wanted = sorted(set(paths))
    held = _hold(access, wanted)
    if require:
        require(held)
    redacted = _redact(held, wanted)
    receipts.keep(receipt, {"job": redacted.report_id, "counts": asdict(redacted.counts)})
    return redacted


def _told_again(outcome: dict[str, Any]) -> Redacted:
    return Redacted(outcome["job"], Counts(**outcome["counts"]), replayed=True)


@step
def _hold(access: StoreAccess, paths: Sequence[str]) -> StoreAccess:
    """Keep everybody from the store until this transaction ends, and look at authority again.

    Locks in the order of all writers: what higher rooms have, refs by their IDs, then the store.
    Whoever wrote before has committed now; who comes later sees that something was erased.
    """
    for eraser in erasers():
        eraser.hold(access.store_id, paths)
    refs.hold_live(access.store_id)
    hold_store(access.store_id)
    held = reopened(access)
    require_redaction(held)
    return held


@step
def _redact(access: StoreAccess, paths: Sequence[str]) -> Redacted:
    store_id, caller = access.store_id, access.caller
    job = enqueue(caller=caller, kind=READ_BACK, target_kind="store", target_id=store_id)
    touching = list(versions_touching(store_id, paths))
    counts = Counts(
        version_count=count_versions_holding(store_id, paths),
        path_count=len(known_paths(store_id, paths)),
        hash_count=erase_bodies_at(store_id=store_id, paths=paths, job_id=job.id),
    )
    _fence(store_id, paths)
    erase_messages(touching)
    erase_tags(touching)
    receipts.forget(store_id, "version", touching)
    receipts.forget_unsealed(store_id)
    for eraser in erasers():
        eraser.redact(Redaction(caller, store_id, paths, touching))
    _seal_without(store_id, paths)
    count_erasure(store_id)
    _report(access, job.id, counts)
    return Redacted(job.id, counts, replayed=False)


@step
def _fence(store_id: str, paths: Sequence[str]) -> None:
    moment = now()
    PathFence.objects.bulk_create(
        [PathFence(store_id=store_id, path=path, fenced_at=moment) for path in paths],
        ignore_conflicts=True,
    )


@step
def _seal_without(store_id: str, paths: Sequence[str]) -> None:
    """Move each ref that moves to a version without the paths; refs at one version share it."""
    sealed: dict[str, MemoryVersion | None] = {}
    for ref in refs.hold_live(store_id):
        base = ref.version
        if base.id not in sealed:
            sealed[base.id] = _seal_on(base, paths)
        version = sealed[base.id]
        if version:
            refs.advance(
                store_id=store_id,
                name=refs.name_of(ref),
                expected=base.id,
                to=version.id,
                actor=REDACTOR,
            )


@step
def _seal_on(base: MemoryVersion, paths: Sequence[str]) -> MemoryVersion | None:
    """Seal a base's tree without the paths; None when it holds none of them."""
    without = draft(base, dict.fromkeys(paths))
    if without.is_empty:
        return None
    return seal(store_id=base.store_id, draft=without, kind=VersionKind.REDACTION, actor=REDACTOR)


@step
def _report(access: StoreAccess, job_id: str, counts: Counts) -> None:
    told = asdict(counts)
    open_report(
        caller=access.caller,
        job_id=job_id,
        store_id=access.store_id,
        operation=ErasureReport.Operation.REDACTION,
        **told,
    )
    record(
        caller=access.caller,
        event="store.redacted",
        target_kind="store",
        target_id=access.store_id,
        detail={"job": job_id} | told,
    )
