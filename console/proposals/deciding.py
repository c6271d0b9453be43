"""Decisions on several Proposals that are shown on one page, each of them its own."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from console.drawing.diffoptions import DEFAULT, DiffOptions
from console.drawing.diffs import Diff, load_diff
from console.forms.proposals import RespondForm
from console.people import ConsoleRequest
from console.proposals.rows import ProposalRow, rows_of
from memory.access import StoreAccess, open_store, open_stores
from memory.trees.hashing import parse_hash
from proposals.actions.respond import Answer, Seen, respond
from proposals.decisions.rules import Rule
from proposals.models import ProposalResponse, ProposalStatus
from proposals.queries.queue import visible_proposals
from proposals.queries.rows import ProposalView, describe, get_proposal, store_of_proposal
from wire import ids
from wire.errors import Conflict, Malformed, NotFound, PolicyDenied, ReadOnly

MOST_AT_ONCE: Final = 20
"""Proposals that one page decides on."""

PAGE_LINES: Final = 8_000
"""Lines of diffs that one page shows; Proposals behind that are decided on their own pages."""

REFUSED: Final = (Conflict, PolicyDenied, ReadOnly, NotFound)
"""Refusals that are the result of one decision and leave the others alone."""


@dataclass(frozen=True)
class Item:
    """One of the Proposals on the page.

    Attributes:
        access: its store, for whoever looks.
        diff: what it changes; None behind the lines that the page shows.
    """

    row: ProposalRow
    access: StoreAccess
    diff: Diff | None

    @property
    def view(self) -> ProposalView:
        return self.row.view

    @property
    def proposal(self) -> Any:
        return self.row.view.proposal

    @property
    def is_whole(self) -> bool:
        """Whether the page shows all of the change: only then it is decided here."""
        return self.diff is not None and not self.diff.held_back

    @property
    def may_approve(self) -> bool:
        """Whether the page offers to approve it."""
        return self.is_whole and self.view.can_approve

    @property
    def may_reject(self) -> bool:
        """Whether the page offers to reject it."""
        return self.is_whole and may_reject(self.view)

    @property
    def unmet(self) -> list[str]:
        """Why it cannot be approved."""
        return [each.reason for each in self.view.requirements if not each.satisfied]


class Outcome(StrEnum):
    """What became of one decision."""

    APPROVED = "approved"
    KEPT = "kept"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    STALE = "stale"
    UNSEEN = "unseen"
    REFUSED = "refused"


_OUTCOMES: Final[Mapping[ProposalStatus, Outcome]] = {
    ProposalStatus.APPROVED: Outcome.APPROVED,
    ProposalStatus.OPEN: Outcome.KEPT,
    ProposalStatus.REJECTED: Outcome.REJECTED,
    ProposalStatus.SUPERSEDED: Outcome.SUPERSEDED,
}


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one decision.

    Attributes:
        reason: why it was refused.
    """

    proposal_id: str
    wanted: ProposalResponse
    outcome: Outcome
    reason: str = ""


def chosen_ids(values: Sequence[str]) -> list[str]:
    """The Proposals that a page is asked for, each once. Raises Malformed."""
    try:
        chosen = list(dict.fromkeys(ids.parse_id("proposal", text) for text in values))
    except ids.MalformedId as error:
        raise Malformed(f"proposal: {error}.") from error
    if len(chosen) > MOST_AT_ONCE:
        raise Malformed(f"proposal: {MOST_AT_ONCE} at most are decided on one page.")
    return chosen


def rows_for(request: ConsoleRequest, proposal_ids: Collection[str]) -> list[ProposalRow]:
    """Those of some Proposals that the person may see, in the order asked for.

    Four queries, five where paths have rules, and one for each kind of actor.
    """
    found = visible_proposals(request.caller).filter(id__in=list(proposal_ids))
    views = {view.proposal.id: view for view in describe(request.caller, found)}
    ordered = [views[each] for each in proposal_ids if each in views]
    return rows_of(request.caller.workspace_id, ordered)


def load_items(
    request: ConsoleRequest, proposal_ids: Collection[str], options: DiffOptions
) -> list[Item]:
    """The Proposals with their diffs, whose files are numbered through the whole page.

    White space is never ignored here: what is decided is shown whole.
    """
    shown = DiffOptions(layout=options.layout)
    rows = rows_for(request, proposal_ids)
    stores = {row.view.proposal.store_id for row in rows}
    accesses = {each.store_id: each for each in open_stores(request.caller, stores)}
    items: list[Item] = []
    left, number = PAGE_LINES, 0
    for row in rows:
        diff = _numbered(_diff_of(row.view, shown), number) if left > 0 else None
        if diff:
            number += len(diff.changes)
            left -= sum(file.shown_lines for file in diff.files)
        items.append(Item(row, accesses[row.view.proposal.store_id], diff))
    return items


def may_reject(view: ProposalView) -> bool:
    """Whether rejecting is offered: a stale or self-authored Proposal can still be ended."""
    before = {Rule.REVIEW_GRANT, Rule.OWN_CREDENTIAL, Rule.STORE_ACTIVE}
    return view.proposal.is_open and all(
        each.satisfied for each in view.requirements if each.rule in before
    )


def decide_each(
    request: ConsoleRequest, proposal_ids: Sequence[str], sent: Mapping[str, Any]
) -> list[Result]:
    """Carry out the decisions that a page sends, one after another, each in its own transaction.

    A Proposal without a decision is left alone. What one is refused for stops none of the others.

    Raises:
        Malformed: a decision is incomplete; nothing was decided then.
    """
    forms = {
        each: RespondForm(sent, prefix=each)
        for each in proposal_ids
        if sent.get(f"{each}-response")
    }
    if not all(form.is_valid() for form in forms.values()):
        raise Malformed("A decision is incomplete. Open the Proposals again.")
    answers = {each: answer_of(form.cleaned_data, unshown=0) for each, form in forms.items()}
    return [_decide(request, each, answer) for each, answer in answers.items()]


def _decide(request: ConsoleRequest, proposal_id: str, answer: Answer) -> Result:
    def told(outcome: Outcome, reason: str = "") -> Result:
        return Result(proposal_id, answer.response, outcome, reason)

    try:
        access, view = _opened(request, proposal_id)
        if view.proposal.is_open and not _is_whole(view):
            return told(Outcome.UNSEEN)
        if view.is_stale and answer.response is ProposalResponse.APPROVE:
            # It would end as superseded. An approval further up may have moved canonical, and
            # whoever decided on both shall not lose this one by that.
            return told(Outcome.STALE)
        responded = respond(access=access, proposal_id=proposal_id, answer=answer)
    except REFUSED as error:
        return told(Outcome.REFUSED, error.message)
    return told(_OUTCOMES[responded.status])


def _opened(request: ConsoleRequest, proposal_id: str) -> tuple[StoreAccess, ProposalView]:
    try:
        access = open_store(request.caller, store_of_proposal(request.caller, proposal_id))
        access.require_content()
        return access, get_proposal(access, proposal_id)
    except NotFound as error:
        raise NotFound("There is no such Proposal.") from error


def answer_of(values: Mapping[str, Any], *, unshown: int | None = None) -> Answer:
    """The decision that a valid `RespondForm` sends.

    Args:
        unshown: changed files that an approval is given without a look at; None of a rejection.

    Raises:
        Malformed: the hash is none.
    """
    try:
        diff_hash = parse_hash(values["diff_hash"])
    except ValueError as error:
        raise Malformed(f"diff_hash: {error}.") from error
    return Answer(
        response=ProposalResponse(values["response"]),
        note=values["note"] or None,
        seen=Seen(values["base_version"], values["head_version"], diff_hash, unshown),
    )


def _diff_of(view: ProposalView, options: DiffOptions = DEFAULT) -> Diff:
    return load_diff(view.proposal.base_id, view.proposal.head_id, options)


def _is_whole(view: ProposalView) -> bool:
    return not _diff_of(view).held_back


def _numbered(diff: Diff, before: int) -> Diff:
    """The same diff with its files' anchors counted on from other diffs of the page."""
    files = [replace(file, number=file.number + before) for file in diff.files]
    return replace(diff, files=files)
