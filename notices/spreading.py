"""Spreading: what stands in the outbox becomes a notice of each person whom it concerns."""

from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

from database.transactions import durable, step
from jobs.messages import send_after_commit
from memory.stores import hold_living_store
from notices.messages import SEND
from notices.models import (
    Channel,
    Letter,
    LetterKind,
    Notice,
    NoticeKind,
    OutboxEntry,
    Reason,
)
from notices.queries.preferences import preferences_of
from notices.recipients import recipients_of
from proposals.hearers import Happening
from wire.times import now

KINDS: Final = {
    Happening.OPENED: NoticeKind.ASSIGNED,
    Happening.COMMENTED: NoticeKind.COMMENTED,
    Happening.APPROVAL_KEPT: NoticeKind.APPROVAL_KEPT,
    Happening.RESOLVED: NoticeKind.DECIDED,
}


@durable
def spread(entry_id: int) -> None:
    """Tell everybody whom an entry of the outbox concerns, and take it out.

    Notices, letters and the end of the entry are one transaction. An entry that another worker
    is at, or that is gone, is none of ours. Of a store that is being deleted nothing is told (X2).
    """
    rows = OutboxEntry.objects.select_for_update(skip_locked=True, of=("self",))
    entry = rows.select_related("proposal__store", "comment").filter(id=entry_id).first()
    if entry is None:
        return
    recipients = recipients_of(entry)
    if hold_living_store(entry.store_id):
        if entry.happening == Happening.RESOLVED:
            _settle(entry.proposal_id)
        _tell(entry, recipients)
    entry.delete()


@step
def _settle(proposal_id: str) -> None:
    """What waited for people does not any more: they need not read that it did."""
    waiting = Notice.objects.filter(proposal=proposal_id, kind=NoticeKind.ASSIGNED, read_at=None)
    waiting.update(read_at=now())


@step
def _tell(entry: OutboxEntry, recipients: Mapping[str, Reason]) -> None:
    kind = KINDS[Happening(entry.happening)]
    preferences = preferences_of(recipients)
    channels = {person: preferences[person].channel_of(kind) for person in recipients}
    actor_kind, actor_uuid = _actor(entry)
    notices = Notice.objects.bulk_create(
        Notice(
            principal_id=person,
            entry=entry.id,
            store_id=entry.store_id,
            proposal_id=entry.proposal_id,
            comment_id=entry.comment_id,
            kind=kind,
            reason=reason,
            actor_kind=actor_kind,
            actor_uuid=actor_uuid,
            at=entry.at,
        )
        for person, reason in recipients.items()
        if channels[person] != Channel.NONE
    )
    _write_letters(
        notice
        for notice in notices
        if channels[notice.principal_id] == Channel.MAIL
        and preferences[notice.principal_id].mail_address
    )


@step
def _write_letters(notices: Iterable[Notice]) -> None:
    moment = now()
    letters = Letter.objects.bulk_create(
        Letter(
            principal_id=notice.principal_id,
            kind=LetterKind.NOTICE,
            notice=notice,
            created_at=moment,
            due_at=moment,
        )
        for notice in notices
    )
    for letter in letters:
        send_after_commit(SEND, letter.id)


def _actor(entry: OutboxEntry) -> tuple[str, UUID | None]:
    """Who did it, as the Proposal's own rows have it."""
    if entry.happening == Happening.OPENED:
        return entry.proposal.author_kind, entry.proposal.author_uuid
    if entry.comment:
        return entry.comment.author_kind, entry.comment.author_uuid
    if entry.happening == Happening.RESOLVED:
        assert entry.proposal.resolved_by_kind
        return entry.proposal.resolved_by_kind, entry.proposal.resolved_by_uuid
    return entry.caller_kind, entry.caller_uuid
