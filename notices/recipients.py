"""Whom something that happened to a Proposal concerns, by what grants and rules say now.

Only people who may read the store are told anything at all, and never of what they did themselves.
"""

from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

from notices.models import OutboxEntry, Reason
from proposals.decisions.authorship import authors_of
from proposals.decisions.tally import Holder, HolderKind, Standing, count
from proposals.hearers import Happening
from proposals.models import Proposal
from proposals.queries.approvals import approvals_of, paths_of
from proposals.queries.comments import commenters_on, thread_members
from proposals.queries.holders import holders_on
from tenancy.models import Permission, Principal
from wire.ids import id_from_uuid, uuid_from_id

_RANK: Final = {reason: place for place, reason in enumerate(Reason)}


def recipients_of(entry: OutboxEntry) -> Mapping[str, Reason]:
    """The principals to tell of an entry of the outbox, each with the first reason that holds.

    Seven queries at most.

    Args:
        entry: with its Proposal and the Proposal's store.
    """
    holders = _readers(entry.proposal)
    concerned = _CONCERNED[Happening(entry.happening)](entry, holders)
    readers = {uuid_from_id(holder.id) for holder in holders if holder.kind == HolderKind.PERSON}
    found: dict[UUID, Reason] = {}
    for reason in sorted(concerned, key=_RANK.__getitem__):
        for uuid in readers.intersection(concerned[reason]):
            found.setdefault(uuid, reason)
    if entry.principal_uuid:
        found.pop(entry.principal_uuid, None)
    return _signing_in({id_from_uuid("principal", uuid): why for uuid, why in found.items()})


type _Concerned = dict[Reason, Iterable[UUID]]


def _readers(proposal: Proposal) -> list[Holder]:
    """The live holders of read on the Proposal's store."""
    store = proposal.store
    holders = holders_on(store.workspace_id, [store.id]).get(store.id, [])
    return [holder for holder in holders if holder.may(Permission.READ)]


def _of_opened(entry: OutboxEntry, holders: list[Holder]) -> _Concerned:
    """Who could approve it; first of all those whom a rule names for its paths."""
    proposal = entry.proposal
    if not proposal.is_open:
        return {}
    tally = count(
        Standing(proposal.store, authors_of([proposal])[proposal.id]),
        approvals=(),
        holders=holders,
        paths=paths_of([proposal.id])[proposal.id] if proposal.store.review_rules else (),
        approver=None,
    )
    named = [need for need in tally.needs if need.named]
    return {
        Reason.NAMED: [uuid_from_id(holder.id) for need in named for holder in need.able],
        Reason.REVIEWER: [uuid_from_id(holder.id) for holder in tally.needs[0].able],
    }


def _of_commented(entry: OutboxEntry, _: list[Holder]) -> _Concerned:
    assert entry.comment
    return {
        Reason.AUTHOR: authors_of([entry.proposal])[entry.proposal_id],
        Reason.THREAD: thread_members(entry.comment),
    }


def _of_kept(entry: OutboxEntry, _: list[Holder]) -> _Concerned:
    return {Reason.AUTHOR: authors_of([entry.proposal])[entry.proposal_id]}


def _of_resolved(entry: OutboxEntry, _: list[Holder]) -> _Concerned:
    proposal_id = entry.proposal_id
    approvals = approvals_of([proposal_id]).get(proposal_id, ())
    return {
        Reason.AUTHOR: authors_of([entry.proposal])[proposal_id],
        Reason.APPROVER: [approval.approver for approval in approvals],
        Reason.COMMENTER: commenters_on(proposal_id),
    }


_CONCERNED: Final = {
    Happening.OPENED: _of_opened,
    Happening.COMMENTED: _of_commented,
    Happening.APPROVAL_KEPT: _of_kept,
    Happening.RESOLVED: _of_resolved,
}


def _signing_in(found: dict[str, Reason]) -> dict[str, Reason]:
    """Those who can sign in: nobody else has a page to be told on."""
    people = Principal.objects.filter(id__in=list(found), user__is_active=True)
    return {person: found[person] for person in people.values_list("id", flat=True)}
