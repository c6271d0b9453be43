"""Saying how one wants to be told, and where e-mail goes."""

from dataclasses import dataclass

from database.transactions import durable, step
from jobs.messages import send_after_commit
from notices.messages import SEND
from notices.models import Channel, Letter, LetterKind, Preferences, Rhythm
from notices.tokens import Confirmation, Unsubscription, digest_of
from tenancy.audit import record
from tenancy.caller import Caller
from tenancy.queries import find_principal
from wire.errors import Conflict, PolicyDenied
from wire.times import now


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a person wants to be told.

    Attributes:
        address: where e-mail goes; None for nowhere.
    """

    address: str | None
    assigned: Channel
    commented: Channel
    decided: Channel
    digest: Rhythm


@durable
def change_preferences(*, caller: Caller, wanted: Wanted) -> Preferences:
    """Keep how a person wants to be told. A new address gets a letter that asks whether it is so.

    Raises:
        PolicyDenied: the caller is no principal, or was only named.
    """
    person = _hold_person(caller)
    kept, _ = Preferences.objects.get_or_create(principal_id=person, defaults={"updated_at": now()})
    is_new = kept.address != wanted.address
    if is_new:
        kept.address, kept.confirmed_at = wanted.address, None
    kept.assigned, kept.commented = wanted.assigned, wanted.commented
    kept.decided, kept.digest = wanted.decided, wanted.digest
    _keep(caller, kept, "changed")
    if is_new and wanted.address:
        _ask(person)
    return kept


@durable
def ask_again(*, caller: Caller) -> None:
    """Send the letter that asks whether the address is theirs once more.

    Raises:
        PolicyDenied: the caller is no principal, or was only named.
        Conflict: there is no address that waits for an answer.
    """
    person = _hold_person(caller)
    waiting = Preferences.objects.filter(principal=person, address__isnull=False, confirmed_at=None)
    if not waiting.exists():
        raise Conflict("There is no address that waits to be confirmed.")
    _ask(person)
    _tell(caller, person, "asked_again")


@durable
def confirm_address(*, caller: Caller, confirmation: Confirmation) -> None:
    """Take note that the address is the person's. Doing so again changes nothing.

    Args:
        caller: the person whom the letter was for.

    Raises:
        Conflict: they have another address by now.
    """
    kept = (
        Preferences.objects.select_for_update().filter(principal=confirmation.principal_id).first()
    )
    if kept is None or kept.address is None or digest_of(kept.address) != confirmation.digest:
        raise Conflict("The address was changed since this letter was sent.")
    if kept.confirmed_at is None:
        kept.confirmed_at = now()
        _keep(caller, kept, "confirmed")


@durable
def unsubscribe(*, caller: Caller, unsubscription: Unsubscription) -> None:
    """End the kind of e-mail that a letter was one of. Notices in the Console stay as they are.

    Args:
        caller: the person whom the letter was for.
    """
    kept, _ = Preferences.objects.select_for_update().get_or_create(
        principal_id=unsubscription.principal_id, defaults={"updated_at": now()}
    )
    if unsubscription.what == "digest":
        kept.digest = Rhythm.OFF
    elif getattr(kept, unsubscription.what) == Channel.MAIL:
        setattr(kept, unsubscription.what, Channel.IN_PAGE)
    _keep(caller, kept, "unsubscribed")


@step
def _hold_person(caller: Caller) -> str:
    if caller.principal_id is None or caller.named_principal_id:
        raise PolicyDenied("Only people who sign in are told anything.")
    return find_principal(caller, caller.principal_id, for_update=True).id


@step
def _keep(caller: Caller, kept: Preferences, verb: str) -> None:
    kept.updated_at = now()
    kept.save()
    _tell(caller, kept.principal_id, verb)


@step
def _ask(person: str) -> None:
    moment = now()
    letter = Letter.objects.create(
        principal_id=person, kind=LetterKind.CONFIRMATION, created_at=moment, due_at=moment
    )
    send_after_commit(SEND, letter.id)


@step
def _tell(caller: Caller, person: str, verb: str) -> None:
    record(
        caller=caller,
        event=f"preferences.{verb}",
        target_kind="principal",
        target_id=person,
    )
