"""What a round reads: its input's plan, advanced by what the rounds before it wrote (S6).

Nothing is copied. A round begins when all before it are finished, and what they wrote never
changes, so the same is found as often as it is looked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from memory.queries.retained import retained_versions
from sessions.models import InputMount, MemoryCall, Round, SelectionKind
from sessions.queries.rounds import plans_of_inputs
from wire.errors import BackendUnavailable, NotFound


@dataclass(frozen=True, slots=True)
class Planned:
    """What one mount is for one round.

    Attributes:
        version_id: what is read, and written on; None once it was erased.
        written_by: the call of an earlier round that sealed the version; None while that is what
            the input was accepted with.
    """

    mount: InputMount
    version_id: str | None
    written_by: MemoryCall | None = None

    @property
    def version(self) -> str:
        """What is read. Raises BackendUnavailable once it was erased; canonical is no answer."""
        if self.version_id is None:
            raise BackendUnavailable(
                f"The version that mount {self.mount.position} reads is not kept any more, and"
                " nothing is read in its stead. Send a new input."
            )
        return self.version_id


def plan_of(entered: Round) -> list[Planned]:
    """What each mount is for a round, in their order. Two queries."""
    return plans_of([entered])[entered.id]


def plans_of(rounds: Sequence[Round]) -> dict[str, list[Planned]]:
    """The same for some rounds of one input, by their IDs. Two queries for all of them."""
    if not rounds:
        return {}
    mounts = list(plans_of_inputs([rounds[0].input_id]))
    calls = list(_sealing_calls(rounds[0].input_id))
    return {one.id: [_planned(one, mount, calls) for mount in mounts] for one in rounds}


def planned(entered: Round, position: int) -> Planned:
    """One mount of a round. Raises NotFound when the input has none there."""
    found = [one for one in plan_of(entered) if one.mount.position == position]
    if not found:
        raise NotFound(f"The input has no mount {position}.")
    return found[0]


def require_available(plan: Sequence[Planned]) -> None:
    """Refuse a plan whose versions are not all there to be read.

    What was selected exactly has to be retained whole, as when it was selected (contract S3).

    Raises:
        BackendUnavailable: a version was erased, or any body of one that was selected exactly.
    """
    versions = [(one.mount.selection_kind, one.version) for one in plan]
    exact = {version for kind, version in versions if kind == SelectionKind.VERSION}
    lost = exact - {version for _, version in retained_versions(exact)}
    if lost:
        raise BackendUnavailable(
            f"{min(lost)} is not retained whole any more, and nothing is read in its stead. Send a"
            " new input."
        )


def _sealing_calls(input_id: str) -> QuerySet[MemoryCall]:
    """The calls on an input that sealed a version, in the order of their rounds."""
    calls = MemoryCall.objects.filter(round__input=input_id, checkpoint__isnull=False)
    return calls.select_related("round", "checkpoint").order_by("round__position")


def _planned(entered: Round, mount: InputMount, calls: Sequence[MemoryCall]) -> Planned:
    earlier = [
        call
        for call in calls
        if call.mount_id == mount.id and call.round.position < entered.position
    ]
    if not earlier:
        return Planned(mount, mount.version_id)
    last = earlier[-1]
    return Planned(mount, last.checkpoint.version_id if last.checkpoint else None, last)
