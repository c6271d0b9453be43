"""Who may respond to a Proposal, and what an approval needs (contract P2, P3, P5).

The one place: actions refuse by these rules, and the API and the Console show the same ones.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final
from uuid import UUID

from memory.models import Lifecycle, MemoryStore
from proposals.decisions.authorship import own_uuids
from proposals.decisions.tally import Holder, HolderKind, Need, Standing, Tally
from proposals.models import Proposal, ProposalResponse
from tenancy import authority
from tenancy.caller import Caller
from tenancy.models import Permission

NAMED_AT_MOST: Final = 20
"""People that a requirement names as able to satisfy it."""


class Rule(StrEnum):
    """The closed list of rules, in the order in which they are looked at."""

    REVIEW_GRANT = "review_grant"
    OWN_CREDENTIAL = "own_credential"
    PERSON = "person"
    NOT_THE_AUTHOR = "not_the_author"
    STORE_ACTIVE = "store_active"
    OPEN = "open"
    CANONICAL_UNMOVED = "canonical_unmoved"
    BODIES_AVAILABLE = "bodies_available"
    APPROVALS = "approvals"
    PATH_RULE = "path_rule"


COUNTED: Final = frozenset({Rule.APPROVALS, Rule.PATH_RULE})
"""Rules that approvals satisfy together. What they miss refuses nobody: it keeps it open."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One rule, applied.

    Attributes:
        reason: a sentence to whoever asked, why it is satisfied or not.
        who_can: principals who could satisfy it, by name; only where it is not satisfied, and
            NAMED_AT_MOST of them.
        given: who gave approvals that count for it.
    """

    rule: Rule
    satisfied: bool
    reason: str
    who_can: tuple[Holder, ...] = ()
    given: frozenset[UUID] = frozenset()

    @property
    def is_waiting(self) -> bool:
        """Whether it only waits for more approvals, and refuses nobody."""
        return self.rule in COUNTED and not self.satisfied


@dataclass(frozen=True, slots=True)
class Case:
    """A Proposal before a caller.

    Attributes:
        permissions: the caller's, on the store.
        authors: as `authorship.authors_of` tells.
    """

    caller: Caller
    permissions: frozenset[str]
    store: MemoryStore
    proposal: Proposal
    authors: frozenset[UUID]

    @property
    def standing(self) -> Standing:
        """What decides whose approvals count."""
        return Standing(self.store, self.authors)


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What stands in the way of an approval, whoever gives it."""

    canonical_id: str
    has_erased_body: bool


def unmet(case: Case, response: ProposalResponse) -> Requirement | None:
    """The first rule by which this caller may not respond so, or None."""
    rules = (rule for rule in _before_responding(case, response) if not rule.satisfied)
    return next(rules, None)


def requirements(
    case: Case, circumstances: Circumstances, holders: Iterable[Holder], tally: Tally
) -> tuple[Requirement, ...]:
    """All that an approval by this caller needs, each with who could satisfy it.

    Of a Proposal that is resolved, only that it is: nobody can satisfy that.

    Args:
        holders: who has grants on the store.
        tally: the approvals so far, and what they have to come to.
    """
    if not case.proposal.is_open:
        return (_open(case),)
    listed = [holder for holder in holders if holder.kind != HolderKind.KEY]
    applied = (
        *_before_responding(case, ProposalResponse.APPROVE),
        _open(case),
        _canonical_unmoved(case, circumstances),
        _bodies_available(circumstances),
    )
    named = [_naming(requirement, case, listed) for requirement in applied]
    return (*named, *map(_counted, _told(tally)))


def can_approve(requirements: Iterable[Requirement], tally: Tally) -> bool:
    """Whether an approval by the caller would be taken, and change something."""
    lets = all(each.satisfied for each in requirements if each.rule not in COUNTED)
    return lets and (tally.is_completed_by_mine or not tally.has_mine)


def _before_responding(case: Case, response: ProposalResponse) -> Iterator[Requirement]:
    """The rules that refuse with 403, before the Proposal's own state counts.

    An author, or a service, may withdraw what it could not approve: these two rules are about
    approving, as contract P3 says.
    """
    yield _review_grant(case)
    yield _own_credential(case)
    if response == ProposalResponse.APPROVE:
        yield _person(case)
        yield _not_the_author(case)
    yield _store_active(case)


def _met(rule: Rule, reason: str) -> Requirement:
    return Requirement(rule, satisfied=True, reason=reason)


def _unmet(rule: Rule, reason: str) -> Requirement:
    return Requirement(rule, satisfied=False, reason=reason)


def _review_grant(case: Case) -> Requirement:
    if authority.holds(case.permissions, Permission.REVIEW):
        return _met(Rule.REVIEW_GRANT, "You hold `review` on this store.")
    missing = Permission.REVIEW if Permission.READ in case.permissions else Permission.READ
    reason = f"This needs a grant of `{missing}` on {case.store.id}."
    return _unmet(Rule.REVIEW_GRANT, reason)


def _own_credential(case: Case) -> Requirement:
    if case.caller.named_principal_id is None:
        return _met(Rule.OWN_CREDENTIAL, "You respond with a credential of your own.")
    reason = (
        "A principal that was only named in Checkfu-Acting-Principal may not respond."
        " Sign in, or use a key that is bound to it."
    )
    return _unmet(Rule.OWN_CREDENTIAL, reason)


def _person(case: Case) -> Requirement:
    caller = case.caller
    answerable = caller.kind in {"principal", "api_key"} and caller.agent is None
    if answerable and not caller.principal_is_service:
        return _met(Rule.PERSON, "Somebody answerable for decisions responds.")
    reason = "Service principals, Session agents and curators never approve."
    return _unmet(Rule.PERSON, reason)


def _not_the_author(case: Case) -> Requirement:
    if not case.authors & own_uuids(case.caller):
        return _met(Rule.NOT_THE_AUTHOR, "Somebody else is the author.")
    if case.standing.authors_may_approve:
        reason = "You are an author, and this store lets authors approve their own Proposals."
        return _met(Rule.NOT_THE_AUTHOR, reason)
    reason = "You are an author of this Proposal, and this store does not let authors approve."
    return _unmet(Rule.NOT_THE_AUTHOR, reason)


def _store_active(case: Case) -> Requirement:
    if case.store.lifecycle == Lifecycle.ACTIVE:
        return _met(Rule.STORE_ACTIVE, "The store takes writes.")
    reason = f"The store is {case.store.lifecycle} and takes no writes."
    return _unmet(Rule.STORE_ACTIVE, reason)


def _open(case: Case) -> Requirement:
    if case.proposal.is_open:
        return _met(Rule.OPEN, "The Proposal waits for a decision.")
    return _unmet(Rule.OPEN, f"The Proposal is already {case.proposal.status}.")


def _canonical_unmoved(case: Case, circumstances: Circumstances) -> Requirement:
    if circumstances.canonical_id == case.proposal.base_id:
        return _met(Rule.CANONICAL_UNMOVED, "Canonical is still at the base.")
    reason = (
        f"Canonical moved to {circumstances.canonical_id}: an approval would become superseded."
        " Re-propose the change on it."
    )
    return _unmet(Rule.CANONICAL_UNMOVED, reason)


def _bodies_available(circumstances: Circumstances) -> Requirement:
    if not circumstances.has_erased_body:
        reason = "Every body on either side is there to be read."
        return _met(Rule.BODIES_AVAILABLE, reason)
    reason = "A body on one of the sides was erased, so nobody can see what they would approve."
    return _unmet(Rule.BODIES_AVAILABLE, reason)


type _CanSatisfy = Callable[[Case, Holder], bool]


def _can_review(case: Case, holder: Holder) -> bool:
    return case.standing.lets(holder) and holder.kind == HolderKind.PERSON


def _can_repropose(_case: Case, holder: Holder) -> bool:
    return holder.may(Permission.WRITE)


def _can_activate(case: Case, holder: Holder) -> bool:
    return holder.may(Permission.ADMIN) or holder.id == case.store.owner_id


_CAN_SATISFY: Final[dict[Rule, _CanSatisfy]] = {
    Rule.REVIEW_GRANT: _can_review,
    Rule.OWN_CREDENTIAL: _can_review,
    Rule.PERSON: _can_review,
    Rule.NOT_THE_AUTHOR: _can_review,
    Rule.STORE_ACTIVE: _can_activate,
    Rule.CANONICAL_UNMOVED: _can_repropose,
}
"""Who could satisfy a rule; nobody can for the ones that are left out."""


def _naming(requirement: Requirement, case: Case, holders: list[Holder]) -> Requirement:
    can_satisfy = _CAN_SATISFY.get(requirement.rule)
    if requirement.satisfied or can_satisfy is None:
        return requirement
    able = [holder for holder in holders if can_satisfy(case, holder)]
    return replace(requirement, who_can=_by_name(able))


def _by_name(holders: Iterable[Holder]) -> tuple[Holder, ...]:
    return tuple(sorted(holders, key=lambda holder: (holder.name, holder.id))[:NAMED_AT_MOST])


def _told(tally: Tally) -> Iterator[Need]:
    """What there is to tell of: the one approval that is always needed goes without saying."""
    for need in tally.needs:
        if need.paths or need.wanted > 1:
            yield need


def _counted(need: Need) -> Requirement:
    people = [holder for holder in need.able if holder.kind == HolderKind.PERSON]
    return Requirement(
        Rule.PATH_RULE if need.paths else Rule.APPROVALS,
        satisfied=not need.missing,
        reason=_needed(need) + ("" if need.is_satisfiable else _NOBODY),
        who_can=_by_name(people) if need.missing else (),
        given=need.given,
    )


_NOBODY: Final = (
    " Not enough others could approve: grant them `review`, or change the store's review rules."
)


def _needed(need: Need) -> str:
    approvals = "1 approval" if need.wanted == 1 else f"{need.wanted} approvals"
    given = f"{len(need.given)} given" if need.given else "none given yet"
    if need.paths is None:
        return f"This store wants {approvals}: {given}."
    whose = " of the reviewers that its rule names" if need.named else ""
    return f"A change at `{need.paths}` needs {approvals}{whose}: {given}."
