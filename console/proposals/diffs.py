"""The three diffs of a Proposal: what is reviewed, what drifted, and what a trial comes to."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.http import HttpRequest

from console.drawing.diffoptions import DEFAULT, DiffOptions
from console.drawing.diffs import Diff, draw_diff, load_diff
from proposals.models import ProposalStatus, SupersededBecause
from proposals.queries.rows import ProposalView
from proposals.replays.replaying import PathConflict, replay_on
from wire.errors import Malformed


class Which(StrEnum):
    """One of the three, as the address names it."""

    REVIEWED = "reviewed"
    DRIFT = "drift"
    TRIAL = "trial"


@dataclass(frozen=True, slots=True)
class ShownDiff:
    """The diff that the page shows.

    Attributes:
        conflicts: what a trial leaves out.
    """

    which: Which
    diff: Diff
    conflicts: Sequence[PathConflict] = ()


def which_diff(request: HttpRequest, view: ProposalView) -> Which:
    """The one that the address asks for; for what is decided for good, the reviewed one.

    Raises:
        Malformed: there is no such diff.
    """
    try:
        which = Which(request.GET.get("show") or Which.REVIEWED)
    except ValueError as error:
        raise Malformed(f"show: one of {', '.join(Which)}.") from error
    return which if may_be_replayed(view) else Which.REVIEWED


def may_be_replayed(view: ProposalView) -> bool:
    """Whether its change still can come to something on a later canonical (contract P4)."""
    proposal = view.proposal
    if proposal.is_open:
        return True
    ended = proposal.status != ProposalStatus.SUPERSEDED or view.replaced_by is not None
    return not ended and proposal.superseded_because != SupersededBecause.REDACTED


def load_shown(view: ProposalView, which: Which, options: DiffOptions = DEFAULT) -> ShownDiff:
    """Load one of the three diffs."""
    base, head = view.proposal.base_id, view.proposal.head_id
    if which is Which.DRIFT:
        return ShownDiff(which, load_diff(base, view.canonical_id, options))
    if which is Which.REVIEWED:
        return ShownDiff(which, load_diff(base, head, options))
    trial = replay_on(view.proposal, view.canonical_id)
    # Every path of a trial is as canonical has it before and as the head has it after: the
    # addresses of single files compare those two.
    diff = draw_diff(trial.canonical_id, head, trial.changes, options)
    return ShownDiff(which, diff, trial.conflicts)
