"""Which branch each version of a list is on, in words and as a line (contract M4)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import models

from console.history.graph import Dot, Graph
from memory.models import ActorKind, MemoryVersion, Ref, RefKind
from memory.queries.lines import on_the_way_to
from proposals.queries.heads import proposals_with_heads
from sessions.queries.checkpoints import sessions_that_sealed
from wire import ids


@dataclass(frozen=True, slots=True)
class Branch:
    """What a version belongs to.

    Attributes:
        kind: `canonical` for what canonical descends from or is at; the kind of the ref that the
            version was sealed for elsewhere; None when nothing tells it any more.
        owner_id: the Session, Proposal or curation run; None where there is none.
        status: of the Proposal that proposes just this version, whichever branch it is on.
        proposal_id: that Proposal.
    """

    kind: RefKind | None
    owner_id: str | None = None
    status: str | None = None
    proposal_id: str | None = None


UNKNOWN: Final = Branch(None)


class Branches:
    """The branches of some versions of one store. Three queries.

    Args:
        canonical_id: where canonical is, in a store that has one.
        refs: the refs of the store, which name the branches that they stand on.
    """

    def __init__(
        self, versions: Sequence[MemoryVersion], canonical_id: str | None, refs: Sequence[Ref]
    ) -> None:
        wanted = [version.id for version in versions]
        self._canonical = on_the_way_to(canonical_id, wanted) if canonical_id else set()
        found = proposals_with_heads(wanted).fetch_mode(models.FETCH_RAISE)
        self._proposals: Mapping[str, Any] = {one.head_id: one for one in found}
        self._sessions = sessions_that_sealed(wanted)
        self._refs = {ref.version_id: ref for ref in refs if ref.kind != RefKind.CANONICAL}

    def of(self, version: MemoryVersion) -> Branch:
        """The branch of one version."""
        proposal = self._proposals.get(version.id)
        proposed = {"status": proposal.status, "proposal_id": proposal.id} if proposal else {}
        if version.id in self._canonical:
            return Branch(RefKind.CANONICAL, None, **proposed)
        if proposal:
            return Branch(RefKind.PROPOSAL, proposal.id, **proposed)
        return self._of_its_writer(version)

    def _of_its_writer(self, version: MemoryVersion) -> Branch:
        session = self._sessions.get(version.id)
        if session is None and version.actor_kind == ActorKind.SESSION_AGENT:
            assert version.actor_uuid is not None
            session = ids.id_from_uuid("session", version.actor_uuid)
        if session:
            return Branch(RefKind.SESSION, session)
        if version.actor_kind == ActorKind.CURATOR:
            assert version.actor_uuid is not None
            return Branch(RefKind.CURATION, ids.id_from_uuid("curation", version.actor_uuid))
        ref = self._refs.get(version.id)
        return Branch(RefKind(ref.kind), ref.owner_id) if ref else UNKNOWN


def walk(
    versions: Sequence[MemoryVersion], branches: Branches, graph: Graph | None
) -> Iterator[tuple[MemoryVersion, Branch, Dot | None]]:
    """Each version with its branch and its place in the graph, newest first.

    What nothing else tells of a version, the one that was sealed on it does.

    Args:
        graph: None for a list that leaves versions out, of which no lines can be drawn.
    """
    above: dict[str, Branch] = {}
    for version in versions:
        branch = branches.of(version)
        if branch.kind is None:
            branch = above.get(version.id, UNKNOWN)
        is_canonical = branch.kind == RefKind.CANONICAL
        if version.parent_id and not is_canonical:
            above.setdefault(version.parent_id, Branch(branch.kind, branch.owner_id))
        dot = None
        if graph:
            dot = graph.place(version.id, version.parent_id, on_canonical=is_canonical)
        yield version, branch, dot
