"""What the erasure of a Session asks of Proposals (contract S7)."""

from collections.abc import Collection, Mapping

from memory.erasure.undecided import Undecided
from memory.erasure.undecided import register as register_undecided
from memory.models import ActorKind
from proposals.models import Proposal, ProposalStatus


def register() -> None:
    """Let erasures of Sessions know what waits for a decision."""
    register_undecided(UndecidedProposals())


class UndecidedProposals(Undecided):
    """Looks among all Proposals. `Undecided` tells for what."""

    def open_proposals(self, session_id: str) -> Mapping[str, str]:
        """Open ones by their recorded author."""
        authored = Proposal.objects.filter(
            status=ProposalStatus.OPEN,
            author_kind=ActorKind.SESSION_AGENT,
            author_uuid=session_id,
        )
        return dict(authored.order_by("id").values_list("id", "store"))

    def proposed(self, version_ids: Collection[str]) -> Collection[str]:
        """Heads, of open and of resolved ones."""
        heads = Proposal.objects.filter(head__in=list(version_ids))
        return set(heads.values_list("head", flat=True))
