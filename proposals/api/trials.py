"""What moved beneath a Proposal, and what it comes to on today's canonical (contract P4).

Canonical is resolved by the first page; the pages behind it go on with the same version.
"""

from collections.abc import Sequence
from typing import Final, Literal, TypedDict

from rest_framework.request import Request

from memory.access import StoreAccess, open_store
from memory.api.diffs import DiffOut, DiffPartOut, DiffParts, DiffSideOut, diff_part, render_side
from memory.api.fields import DocumentPath
from memory.api.pinning import pinned
from memory.api.publishing import Published, publish
from memory.queries.diffs import tree_diff
from memory.queries.versions import resolve
from memory.trees.hashing import spell_hash
from proposals.models import Proposal
from proposals.queries.rows import get_proposal
from proposals.replays.merges import Merge, acquire_merges, merges_of
from proposals.replays.replaying import PathConflict, replay_on
from tenancy.api.base import ApiView, caller_of
from wire.errors import AuthorizationUnavailable, Conflict, NotFound, PolicyDenied
from wire.operations import operation
from wire.paging import PagedQuery, page_of
from wire.parsing import parse_path_id, parse_query

PAGE_BYTES: Final = 2 * 1024 * 1024
"""Texts, all three sides together, that one page of conflicts merges; one path always fits."""


class TrialOut(DiffPartOut):
    """One page of what re-proposing would change on canonical, as far as it applies."""

    store: str
    proposal: str
    canonical_version: str
    conflict_count: int


class MergedOut(TypedDict):
    """Both changes of a document together.

    `conflicts`: how many stretches stand between marks, for somebody to decide; 0 when none.
    """

    content: str
    content_sha256: str
    media_type: str
    conflicts: int


class ConflictOut(TypedDict):
    """A path of a Proposal's change that does not apply to canonical.

    `blocked_by`: documents of canonical of which it would be the directory, or the reverse.
    `merge` is null where `no_merge` says why there is none.
    """

    path: str
    base: DiffSideOut | None
    canonical: DiffSideOut | None
    proposal: DiffSideOut | None
    blocked_by: list[str]
    merge: MergedOut | None
    no_merge: Literal["blocked", "deleted", "erased", "media_types", "too_long"] | None


class ConflictsOut(TypedDict):
    """One page of the conflicts of a Proposal with canonical."""

    store: str
    proposal: str
    canonical_version: str
    data: list[ConflictOut]
    next_page: str | None


class ConflictsQuery(PagedQuery):
    """Which conflicts to tell. A page ends early when its texts are long."""

    path: DocumentPath | None = None
    """Only the one at this path."""


class DriftView(ApiView):
    versioned = True

    @operation(
        "memoryStores.diffMemoryProposalDrift",
        summary="Read what moved since a Proposal's base",
        query=DiffParts,
        answers={200: DiffOut},
        errors=(NotFound, PolicyDenied, Conflict, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str, proposal: str) -> Published:
        """From the frozen base to canonical. Empty while canonical is still there."""
        access, frozen = _open(request, id, proposal)
        parts = parse_query(request, DiffParts)
        pin = pinned(None, parts.page)
        access.require_content()
        head = resolve(access.store_id, pin.version)
        changes = tree_diff(frozen.base_id, head)
        part = diff_part(changes, parts, after=pin.after, pins=[head])
        answer: DiffOut = {
            "store": access.store_id,
            "base": frozen.base_id,
            "head": head,
            **part.rendered,
        }
        return publish(part.acquired(access), answer)


class TrialView(ApiView):
    versioned = True

    @operation(
        "memoryStores.diffMemoryProposalTrial",
        summary="Try what re-proposing would change",
        query=DiffParts,
        answers={200: TrialOut},
        errors=(NotFound, PolicyDenied, Conflict, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str, proposal: str) -> Published:
        """From canonical to the Proposal's change replayed on it, path by path.

        Paths in conflict are left out and counted: `…/conflicts` tells of each.
        """
        access, frozen = _open(request, id, proposal)
        parts = parse_query(request, DiffParts)
        pin = pinned(None, parts.page)
        access.require_content()
        trial = replay_on(frozen, resolve(access.store_id, pin.version))
        part = diff_part(trial.changes, parts, after=pin.after, pins=[trial.canonical_id])
        answer: TrialOut = {
            "store": access.store_id,
            "proposal": frozen.id,
            "canonical_version": trial.canonical_id,
            "conflict_count": len(trial.conflicts),
            **part.rendered,
        }
        return publish(part.acquired(access), answer)


class ConflictsView(ApiView):
    versioned = True

    @operation(
        "memoryStores.listMemoryProposalConflicts",
        summary="List the conflicts of a Proposal with canonical",
        query=ConflictsQuery,
        answers={200: ConflictsOut},
        errors=(NotFound, PolicyDenied, Conflict, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str, proposal: str) -> Published:
        """By the bytes of their paths, each with the merge that is offered, where there is one.

        Re-propose with `canonical_version` and a resolution for each of these paths.
        """
        access, frozen = _open(request, id, proposal)
        query = parse_query(request, ConflictsQuery)
        pin = pinned(None, query.page)
        access.require_content()
        trial = replay_on(frozen, resolve(access.store_id, pin.version))
        found = [
            conflict
            for conflict in trial.conflicts
            if conflict.path > (pin.after or "") and query.path in (None, conflict.path)
        ]
        most = _affordable(found, query.limit)
        shown, next_page = page_of(found, most, lambda one: (trial.canonical_id, one.path))
        merges = merges_of(shown)
        answer: ConflictsOut = {
            "store": access.store_id,
            "proposal": frozen.id,
            "canonical_version": trial.canonical_id,
            "data": [_render(merge) for merge in merges],
            "next_page": next_page,
        }
        return publish(acquire_merges(access, merges), answer)


def _open(request: Request, store: str, proposal: str) -> tuple[StoreAccess, Proposal]:
    access = open_store(caller_of(request), parse_path_id("store", store))
    return access, get_proposal(access, parse_path_id("proposal", proposal)).proposal


def _affordable(conflicts: Sequence[PathConflict], limit: int) -> int:
    """How many conflicts, one at least, have texts that fit one page."""
    spent = 0
    for number, conflict in enumerate(conflicts[:limit]):
        spent += sum(entry.size for entry in conflict.entries)
        if spent > PAGE_BYTES and number:
            return number
    return limit


def _render(merge: Merge) -> ConflictOut:
    conflict = merge.conflict
    return {
        "path": conflict.path,
        "base": render_side(conflict.base, merge.base.erasure),
        "canonical": render_side(conflict.canonical, merge.canonical.erasure),
        "proposal": render_side(conflict.head, merge.head.erasure),
        "blocked_by": list(conflict.blocked_by),
        "merge": _merged(merge),
        "no_merge": merge.reason.value if merge.reason else None,
    }


def _merged(merge: Merge) -> MergedOut | None:
    if merge.merged is None or merge.sha256 is None:
        return None
    return {
        "content": merge.merged.text,
        "content_sha256": spell_hash(merge.sha256),
        "media_type": merge.media_type,
        "conflicts": merge.merged.conflicts,
    }
