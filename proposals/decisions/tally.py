"""Counting approvals: which count, what is needed, and what is still missing.

An approval counts while whoever gave it could give it today: is live, holds `review`, and is no
author where authors may not approve. So grants that were taken back take approvals with them, and
bring them back when they are given again.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from memory.actors import RecordedActor
from memory.models import MemoryStore, SelfApproval
from memory.reviewrules import rules_of
from tenancy import authority
from tenancy.models import Permission
from wire.ids import uuid_from_id


class HolderKind(StrEnum):
    """What holds grants: people, services, and keys with grants of their own."""

    PERSON = "person"
    SERVICE = "service"
    KEY = "key"


@dataclass(frozen=True, slots=True)
class Holder:
    """A live principal or key with grants on a store.

    Attributes:
        permissions: on that store, those on the whole Workspace included.
    """

    id: str
    name: str
    kind: HolderKind
    permissions: frozenset[str]

    def may(self, permission: Permission) -> bool:
        """Whether a check of `permission` would pass."""
        return authority.holds(self.permissions, permission)


@dataclass(frozen=True, slots=True)
class Approval:
    """An approval that left its Proposal open, and was not withdrawn.

    Attributes:
        approver: the principal that approved, or a key that is bound to none.
        actor: who is recorded.
    """

    approver: UUID
    actor: RecordedActor
    at: datetime
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Need:
    """Approvals that a Proposal needs: the store's minimum, or what one of its rules asks for.

    Attributes:
        paths: the rule's glob; None for the minimum.
        given: by whom, of those that count for it.
        able: who could give one and has not.
        named: how many reviewers the rule names; 0 where anybody counts who may review.
    """

    wanted: int
    given: frozenset[UUID]
    able: tuple[Holder, ...]
    paths: str | None = None
    named: int = 0

    @property
    def missing(self) -> int:
        """How many are still to be given."""
        return max(self.wanted - len(self.given), 0)

    @property
    def is_satisfiable(self) -> bool:
        """Whether there are enough who could give what is missing."""
        return self.missing <= len(self.able)

    def missing_after(self, approver: UUID | None) -> int:
        """How many are still to be given once somebody approved, if theirs is one that counts."""
        counts = any(uuid_from_id(holder.id) == approver for holder in self.able)
        return max(self.missing - counts, 0)


class Left(NamedTuple):
    """What an approval leaves missing of a need."""

    need: Need
    missing: int

    @property
    def place(self) -> int:
        """Which of the approvals that are wanted it is."""
        return self.need.wanted - self.missing


@dataclass(frozen=True, slots=True)
class Tally:
    """The approvals of an open Proposal against what it needs, before a caller.

    Attributes:
        needs: the minimum first, then the rules that its changed paths match.
        approvals: all of them, the oldest first.
        counted: who gave those that count.
        approver: whom an approval by the caller would be of.
    """

    needs: tuple[Need, ...]
    approvals: tuple[Approval, ...] = ()
    counted: frozenset[UUID] = field(default=frozenset())
    approver: UUID | None = None

    @property
    def has_mine(self) -> bool:
        """Whether the caller has approved already."""
        return any(approval.approver == self.approver for approval in self.approvals)

    @property
    def wants_several(self) -> bool:
        """Whether one approval, of whomever, may not be enough."""
        return len(self.needs) > 1 or any(need.wanted > 1 for need in self.needs)

    @property
    def is_completed_by_mine(self) -> bool:
        """Whether nothing is missing once the caller approves."""
        return not self.left_after_mine

    @property
    def left_after_mine(self) -> tuple[Left, ...]:
        """What is still missing once the caller approves."""
        left = [Left(need, need.missing_after(self.approver)) for need in self.needs]
        return tuple(each for each in left if each.missing)


@dataclass(frozen=True, slots=True)
class Standing:
    """What decides whether somebody's approval counts.

    Attributes:
        authors: as `authorship.authors_of` tells.
    """

    store: MemoryStore
    authors: frozenset[UUID]

    @property
    def authors_may_approve(self) -> bool:
        """Whether the store lets authors approve their own (contract P3)."""
        return self.store.self_approval == SelfApproval.ALLOWED

    def lets(self, holder: Holder) -> bool:
        """Whether an approval of this holder counts."""
        is_author = uuid_from_id(holder.id) in self.authors
        return (
            holder.kind != HolderKind.SERVICE
            and holder.may(Permission.REVIEW)
            and (self.authors_may_approve or not is_author)
        )


def count(
    standing: Standing,
    *,
    approvals: Sequence[Approval],
    holders: Iterable[Holder],
    paths: Collection[str],
    approver: UUID | None,
) -> Tally:
    """Count the approvals of an open Proposal.

    Args:
        approvals: those that are not withdrawn.
        holders: who has grants on the store.
        paths: what the Proposal changes, both sides of a renaming.
        approver: whom an approval by the caller would be of.
    """
    eligible = {uuid_from_id(each.id): each for each in holders if standing.lets(each)}
    counted = frozenset(each.approver for each in approvals) & eligible.keys()
    needs = tuple(_needs(standing.store, eligible, counted, paths))
    return Tally(needs, tuple(approvals), counted, approver)


def _needs(
    store: MemoryStore,
    eligible: dict[UUID, Holder],
    counted: frozenset[UUID],
    paths: Collection[str],
) -> Iterator[Need]:
    able = tuple(holder for uuid, holder in eligible.items() if uuid not in counted)
    yield Need(store.minimum_approvals, counted, able)
    for rule in rules_of(store):
        if rule.applies_to(paths):
            named = frozenset(map(uuid_from_id, rule.reviewers))
            yield Need(
                rule.approvals,
                counted & named if named else counted,
                tuple(each for each in able if not named or uuid_from_id(each.id) in named),
                rule.paths,
                len(named),
            )
