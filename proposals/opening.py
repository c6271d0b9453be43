"""Opening: what a Proposal freezes of two versions, once and for ever (contract P1)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from database.transactions import step
from memory import refs
from memory.access import StoreAccess
from memory.actors import Actor, actor_of
from memory.diffs.lines import count_lines
from memory.erasure.fences import refuse_fenced
from memory.models import MemoryVersion, RefKind
from memory.queries.diffs import Sides, diff_digest, sides_of, tree_diff
from memory.refs import RefName
from memory.textsafety.concerns import Concern
from memory.textsafety.scanning import scan, total_counts
from memory.textsafety.secrets import Budget
from memory.trees.diffs import PathChange, hashed_changes
from proposals.hearers import Happening, tell_hearers
from proposals.models import Proposal
from tenancy.audit import record
from tenancy.caller import Caller
from wire.errors import Malformed
from wire.ids import new_id
from wire.times import now

SEARCH_SECONDS: Final = 1.0
"""How long the texts of a Proposal are searched for secrets while it is opened."""


@dataclass(frozen=True, slots=True)
class Words:
    """What people are told of a Proposal."""

    title: str
    description: str = ""


def ref_of(proposal_id: str) -> RefName:
    """The ref that keeps the head of a Proposal while it is open (contract M4, P1)."""
    return RefName(RefKind.PROPOSAL, proposal_id)


@dataclass(frozen=True, slots=True)
class Opened:
    """A new Proposal, and the paths that it changes."""

    proposal: Proposal
    paths: list[str]


@step
def open_proposal(
    *,
    access: StoreAccess,
    base: MemoryVersion,
    head: MemoryVersion,
    words: Words,
    author: Actor | None = None,
    earlier_authors: Iterable[UUID] = (),
    replaces: Proposal | None = None,
    picked_from: Proposal | None = None,
) -> Opened:
    """Freeze two versions of a store as a Proposal, with its ref and audit row.

    Args:
        author: whom it is recorded for, where that is not the caller.
        earlier_authors: keys and principals whose work it is beside the caller's.

    Raises:
        Malformed: the trees of base and head do not differ.
        Conflict: they differ at a path that was redacted.
    """
    changes = tree_diff(base.id, head.id)
    if not changes:
        raise Malformed("Base and head hold the same tree; an empty Proposal cannot exist.")
    paths = [change.path for change in hashed_changes(changes)]
    refuse_fenced(access, paths)
    caller = access.caller
    actor = author or actor_of(caller)
    moment = now()
    sides = sides_of(changes)
    added, removed = _line_counts(sides)
    proposal = Proposal.objects.create(
        id=new_id("proposal"),
        store_id=base.store_id,
        title=words.title,
        description=words.description,
        base=base,
        head=head,
        diff_hash=diff_digest(changes),
        document_versions=list(_document_versions(changes)),
        changed_path_count=len(paths),
        added_lines=added,
        removed_lines=removed,
        text_safety=_text_safety(sides),
        author_kind=actor.kind,
        author_uuid=actor.id,
        author_agent_uuid=actor.agent_id,
        author_operation=actor.operation,
        author_principal_uuid=caller.principal_id,
        earlier_authors=sorted(earlier_authors),
        replaces=replaces,
        picked_from=picked_from,
        created_at=moment,
        updated_at=moment,
    )
    refs.create(store_id=base.store_id, name=ref_of(proposal.id), at=head.id, actor=actor)
    _audit(caller, proposal)
    tell_hearers(Happening.OPENED, caller, proposal)
    return Opened(proposal, paths)


def _document_versions(changes: Iterable[PathChange]) -> Iterable[UUID]:
    for change in changes:
        yield from (side.document_version for side in (change.before, change.after) if side)


def _line_counts(sides: Iterable[Sides]) -> tuple[int, int]:
    """Lines added and removed in all, of the paths whose bodies are there."""
    counts = [
        count_lines(side.before or "", side.after or "")
        for side in sides
        if not (side.before_erased or side.after_erased)
    ]
    return sum(each.added for each in counts), sum(each.removed for each in counts)


def _text_safety(sides: Iterable[Sides]) -> dict[str, int | bool]:
    """How much of each concern the new texts hold, and whether all of them was searched."""
    budget = Budget(SEARCH_SECONDS)
    scans = [scan(side.after, budget) for side in sides if side.after]
    counts = total_counts(scans)
    return {
        **{concern.value: counts[concern] for concern in Concern},
        "complete": all(each.is_complete for each in scans),
    }


def _audit(caller: Caller, proposal: Proposal) -> None:
    record(
        caller=caller,
        event="proposal.created",
        target_kind="proposal",
        target_id=proposal.id,
        detail={
            "store": proposal.store_id,
            "base": proposal.base_id,
            "head": proposal.head_id,
            "paths": proposal.changed_path_count,
            "replaces": proposal.replaces_id,
            "picked_from": proposal.picked_from_id,
        },
    )
