"""A Proposal on the wire."""

from typing import Literal, TypedDict, cast

from memory.actornaming import Actor, render_actor
from memory.api.trees import ErasureOut, render_redaction
from memory.trees.hashing import spell_hash
from proposals.decisions.rules import Requirement
from proposals.decisions.tally import Approval
from proposals.queries.rows import ProposalView
from wire.times import render_time


class ReviewerOut(TypedDict):
    """A principal who could satisfy a requirement."""

    id: str
    name: str


class RequirementOut(TypedDict):
    """One rule of an approval by this caller. `who_can` names 20 principals at most.

    `approvals` is the store's minimum and `path_rule` one of its review rules that the changed
    paths match; they count what was approved so far, and refuse nobody.
    """

    rule: Literal[
        "review_grant",
        "own_credential",
        "person",
        "not_the_author",
        "store_active",
        "open",
        "canonical_unmoved",
        "bodies_available",
        "approvals",
        "path_rule",
    ]
    satisfied: bool
    reason: str
    who_can: list[ReviewerOut]


class ApprovalOut(TypedDict):
    """An approval that left the Proposal open, because more are needed.

    `counts`: whoever gave it could give it now; null once the Proposal is resolved.
    """

    actor: Actor
    at: str
    note: str | None
    counts: bool | None


class ResolutionOut(TypedDict):
    """How a Proposal ended. `reason` says why it was superseded."""

    by: Actor
    at: str
    note: str | None
    reason: Literal["canonical_moved", "reproposed", "redacted"] | None


class TextSafetyOut(TypedDict):
    """What the new texts of the changed paths hold that a reviewer may miss.

    Counted when the Proposal was created, and not again: a count outlives the text. Characters
    are counted one by one. `complete` is false where the search for secrets was cut short.
    """

    bidi_controls: int
    invisible_characters: int
    tag_characters: int
    secrets: int
    lookalikes: int
    misleading_links: int
    html_comments: int
    agent_instructions: int
    complete: bool


class ProposalOut(TypedDict):
    """A frozen pair of versions that asks to become canonical.

    `words_erased`: a redaction took a path that it changes, and its title, description and note
    with it; they are null then.

    `stale`: it is open, and canonical is not at its base any more. `can_approve`: an approval
    by this caller would be taken now; it moves canonical when it completes what `requirements`
    ask for, and is one of `approvals` otherwise. The one that moved canonical is `resolution`.
    """

    id: str
    store: str
    title: str | None
    description: str | None
    words_erased: ErasureOut | None
    base_version: str
    head_version: str
    diff_hash: str
    status: Literal["open", "approved", "rejected", "superseded"]
    stale: bool
    author: Actor
    changed_paths: int
    added_lines: int
    removed_lines: int
    comments: int
    unresolved_threads: int
    text_safety: TextSafetyOut
    can_approve: bool
    requirements: list[RequirementOut]
    approvals: list[ApprovalOut]
    resolution: ResolutionOut | None
    replaces: str | None
    replaced_by: str | None
    picked_from: str | None
    created_at: str
    updated_at: str


def render_proposal(view: ProposalView) -> ProposalOut:
    """A Proposal as its reader sees it now."""
    proposal = view.proposal
    erased = proposal.words_erased_at
    return {
        "id": proposal.id,
        "store": proposal.store_id,
        "title": None if erased else proposal.title,
        "description": None if erased else proposal.description,
        "words_erased": render_redaction(erased),
        "base_version": proposal.base_id,
        "head_version": proposal.head_id,
        "diff_hash": spell_hash(proposal.diff_hash),
        "status": proposal.status,
        "stale": view.is_stale,
        "author": render_actor(proposal.author),
        "changed_paths": proposal.changed_path_count,
        "added_lines": proposal.added_lines,
        "removed_lines": proposal.removed_lines,
        "comments": proposal.comment_count,
        "unresolved_threads": proposal.unresolved_count,
        "text_safety": cast("TextSafetyOut", proposal.text_safety),
        "can_approve": view.can_approve,
        "requirements": [_requirement(requirement) for requirement in view.requirements],
        "approvals": [_approval(view, approval) for approval in view.tally.approvals],
        "resolution": _resolution(view),
        "replaces": proposal.replaces_id,
        "replaced_by": view.replaced_by,
        "picked_from": proposal.picked_from_id,
        "created_at": render_time(proposal.created_at),
        "updated_at": render_time(proposal.updated_at),
    }


def _requirement(requirement: Requirement) -> RequirementOut:
    rendered = {
        "rule": requirement.rule.value,
        "satisfied": requirement.satisfied,
        "reason": requirement.reason,
        "who_can": [{"id": holder.id, "name": holder.name} for holder in requirement.who_can],
    }
    return cast("RequirementOut", rendered)


def _approval(view: ProposalView, approval: Approval) -> ApprovalOut:
    return {
        "actor": render_actor(approval.actor),
        "at": render_time(approval.at),
        "note": approval.note,
        "counts": approval.approver in view.tally.counted if view.proposal.is_open else None,
    }


def _resolution(view: ProposalView) -> ResolutionOut | None:
    proposal = view.proposal
    if proposal.resolver is None:
        return None
    return {
        "by": render_actor(proposal.resolver),
        "at": render_time(proposal.resolved_at),
        "note": proposal.resolution_note,
        "reason": proposal.superseded_because,
    }
