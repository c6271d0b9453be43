"""Rules that open, restore, decide and re-propose Proposals."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.oracle.proposals import NewProposal, Response, Restore
from tests.oracle.strategies import (
    any_operations,
    maybe_versions_in,
    mostly,
    right_operations,
    versions_in,
)
from tests.oracle.values import UNKNOWN, Caller
from tests.properties.machine.base import Machine, anybody
from tests.properties.people import AUTHOR, KEEPER, REVIEWER


class Proposing(Machine):
    """Proposals."""

    @rule(data=st.data(), caller=st.sampled_from((AUTHOR, KEEPER)))
    def propose(self, data: st.DataObject, caller: Caller) -> None:
        """What fits, or an earlier tree, on canonical."""
        operations = right_operations(self.canonical_tree)
        restores = st.builds(Restore, versions_in(self.oracle))
        head: Any = data.draw(st.one_of(operations, operations, restores))
        self.send("create", caller, NewProposal("What is new", None, head))

    @rule(data=st.data(), caller=mostly(AUTHOR, anybody))
    def propose_anything(self, data: st.DataObject, caller: Caller) -> None:
        """On any base, which may be stale or unknown, any operations, head or restored tree."""
        base = data.draw(maybe_versions_in(self.oracle))
        tree = self.oracle.versions[base or 0].tree
        heads = st.just(UNKNOWN) | versions_in(self.oracle)
        restores = st.builds(Restore, heads)
        head: Any = data.draw(st.one_of(any_operations(tree), versions_in(self.oracle), restores))
        self.send("create", caller, NewProposal("What is new", base, head))

    @precondition(lambda self: self.desk.proposals)
    @rule(data=st.data(), response=mostly("approve", st.just("reject")))
    def respond(self, data: st.DataObject, response: str) -> None:
        number = data.draw(self.some_proposal("open"))
        seen = self.desk.proposals[number]
        answer = Response(response, seen.base, seen.head, seen.diff_hash)
        self.send("respond", REVIEWER, number, answer)

    @precondition(lambda self: self.desk.proposals)
    @rule(
        data=st.data(),
        caller=mostly(KEEPER, anybody),
        response=st.sampled_from(("approve", "reject")),
        echo=st.sampled_from(((None, None, None), (0, 0, None), (None, UNKNOWN, None))),
    )
    def respond_blindly(
        self, data: st.DataObject, caller: Caller, response: str, echo: tuple[Any, Any, Any]
    ) -> None:
        number = data.draw(mostly(UNKNOWN, self.some_proposal()) | self.some_proposal())
        self.send("respond", caller, number, Response(response, *echo))

    @precondition(lambda self: self.desk.proposals)
    @rule(data=st.data(), caller=mostly(AUTHOR, anybody))
    def repropose(self, data: st.DataObject, caller: Caller) -> None:
        self.send("repropose", caller, data.draw(self.some_proposal("superseded")))

    @precondition(lambda self: self.desk.proposals)
    @rule(data=st.data(), approve=st.booleans())
    def overtake(self, data: st.DataObject, approve: bool) -> None:
        """Let another Proposal move canonical first; try what becomes of the ones before it."""
        number = data.draw(self.some_proposal("open"))
        operations = data.draw(right_operations(self.canonical_tree))
        self.send("create", AUTHOR, NewProposal("Faster", None, operations))
        self.send("respond", REVIEWER, len(self.desk.proposals) - 1, Response("approve"))
        if approve:
            self.send("respond", REVIEWER, number, Response("approve"))
        self.send("repropose", AUTHOR, number)

    def some_proposal(self, status: str | None = None) -> st.SearchStrategy[int]:
        """Any Proposal, rather one of a status."""
        numbers = [proposal.number for proposal in self.desk.proposals]
        likely = [number for number in numbers if self.desk.proposals[number].status == status]
        return st.sampled_from(likely * 4 + numbers)
