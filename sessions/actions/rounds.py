"""Entering and finishing the rounds of an input (contract S6)."""

from dataclasses import dataclass

from database.transactions import durable, step
from memory import receipts
from memory.models import MemoryVersion
from memory.retention import has_zero_retention
from sessions.access import SessionAccess, require_active
from sessions.auditing import record_of_session
from sessions.events.entries import accessed
from sessions.events.log import append
from sessions.models import Round, Session, SessionInput
from sessions.mounts.admission import require_in_use
from sessions.queries.rounds import rounds_of
from sessions.turns.native import require_usable
from sessions.turns.plans import Planned, plan_of, require_available
from wire.errors import Conflict
from wire.idempotency import IdempotencyKey
from wire.ids import new_id
from wire.times import now


@dataclass(frozen=True, slots=True)
class EnteredRound:
    """A round, and whether this request only told of it again."""

    round_id: str
    replayed: bool


@durable
def enter_round(
    *, access: SessionAccess, accepted: SessionInput, key: IdempotencyKey | None = None
) -> EnteredRound:
    """Enter the next round of an input: it reads what those before it wrote.

    Raises:
        PolicyDenied: the caller does not work on inputs, or principal and agent may not both read.
        NotFound: a store is gone.
        ReadOnly: the Session, its agent or environment, or a store is archived.
        BackendUnavailable: a version that it would read is not kept any more.
        Conflict: the round before is not finished, or the key was used with another request.
    """
    _require(access)
    receipt = receipts.claim(caller=access.caller, key=key)
    if receipt.outcome:
        return EnteredRound(receipt.outcome["round"], replayed=True)
    entered = _insert(access, accepted)
    plan = plan_of(entered)
    require_usable(access.session, [one.mount.store_id for one in plan])
    require_available(plan)
    receipts.keep(receipt, {"round": entered.id})
    _record(access, "round.entered", entered)
    _tell(access, entered, plan)
    return EnteredRound(entered.id, replayed=False)


@durable
def finish_round(*, access: SessionAccess, entered: Round) -> Round:
    """Finish a round, so that the next may be entered. One that is finished stays as it is.

    Also in a Session that is archived: nothing goes on in it.

    Raises:
        PolicyDenied: the caller does not work on inputs.
    """
    access.require_native()
    held = hold_round(entered.id)
    if held.state == Round.State.ENTERED:
        held.state, held.finished_at = Round.State.FINISHED, now()
        held.save(update_fields=["state", "finished_at"])
        _record(access, "round.finished", held)
    return held


@step
def hold_round(round_id: str) -> Round:
    """A round as it is now, while nobody else writes in it or ends it."""
    return Round.objects.select_for_update(no_key=True).get(id=round_id)


def _require(access: SessionAccess) -> None:
    access.require_native()
    access.require_active()
    require_in_use(access.session.agent, access.session.environment)


@step
def _insert(access: SessionAccess, accepted: SessionInput) -> Round:
    """The next round. Two that enter at once wait for each other, and the second finds the first.

    Raises:
        Conflict: one is not finished yet.
    """
    SessionInput.objects.select_for_update(no_key=True).get(id=accepted.id)
    last = rounds_of(accepted.id).order_by("-position").first()
    if last and last.state == Round.State.ENTERED:
        raise Conflict(f"{last.id} is not finished, and rounds come one after the other.")
    return Round.objects.create(
        id=new_id("round"),
        input=accepted,
        position=last.position + 1 if last else 1,
        entered_at=now(),
        entered_by_kind=access.caller.kind,
        entered_by_uuid=access.caller.id,
    )


@step
def _tell(access: SessionAccess, entered: Round, plan: list[Planned]) -> None:
    """Write what the round is shown, and see that nobody archived the Session meanwhile."""
    versions = MemoryVersion.objects.in_bulk([one.version for one in plan])
    entries = accessed(
        {one.mount.position: versions[one.version] for one in plan},
        run_id=None,
        turn=entered.id,
        zero_data_retention=has_zero_retention(access.caller.workspace_id),
    )
    append(access.session_id, entries)
    require_active(Session.objects.select_for_update(no_key=True).get(id=access.session_id))


@step
def _record(access: SessionAccess, event: str, entered: Round) -> None:
    told = {"round": entered.id, "input": entered.input_id}
    record_of_session(access.caller, access.session_id, event, **told)
