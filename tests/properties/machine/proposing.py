"""Rules that open, restore, decide and re-propose Proposals."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.oracle.proposals import NewProposal, Response, Restore
from tests.oracle.replays import Choices
from tests.oracle.strategies import (
    any_operations,
    choices_on,
    fitting,
    long_texts,
    maybe_versions_in,
    mostly,
    operations_near,
    retouched,
    right_operations,
    versions_in,
)
from tests.oracle.values import UNKNOWN, Caller, Operation, Put
from tests.properties.machine.base import Machine, anybody, limits
from tests.properties.people import AUTHOR, KEEPER, READER, REVIEWER

some_status = st.sampled_from(("open", "superseded"))


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
        self.send("repropose", caller, data.draw(self.some_proposal("superseded")), Choices())

    @precondition(lambda self: self.desk.proposals)
    @rule(data=st.data(), caller=mostly(AUTHOR, anybody), status=some_status)
    def decide_conflicts(self, data: st.DataObject, caller: Caller, status: str) -> None:
        """Look at what canonical is in the way of, and re-propose with choices."""
        self.look_and_choose(data, caller, data.draw(self.some_proposal(status)))

    @rule(data=st.data())
    def contest(self, data: st.DataObject) -> None:
        """Let two Proposals change the same paths, or near ones, and decide the conflicts."""
        operations = data.draw(right_operations(self.canonical_tree))
        changed = [operation.path for operation in operations]
        rivals = data.draw(operations_near(changed, self.canonical_tree))
        self.contend(data, operations, rivals)

    @rule(data=st.data())
    def contest_lines(self, data: st.DataObject) -> None:
        """The same for some lines of one text."""
        path, text = data.draw(st.sampled_from(fitting(self.canonical_tree))), data.draw(long_texts)
        self.overtake_with(self.rewrite(path, text))
        mine, theirs = (self.rewrite(path, data.draw(retouched(text))) for _ in range(2))
        self.contend(data, mine, theirs)

    def rewrite(self, path: str, text: str) -> tuple[Operation, ...]:
        found = self.canonical_tree.get(path)
        return (Put(path, text, expected=found.sha256 if found else None),)

    def contend(
        self, data: st.DataObject, mine: tuple[Operation, ...], theirs: tuple[Operation, ...]
    ) -> None:
        self.send("create", AUTHOR, NewProposal("Contested", None, mine))
        number = len(self.desk.proposals) - 1
        self.overtake_with(theirs)
        if number >= 0:
            self.look_and_choose(data, AUTHOR, number)

    def look_and_choose(self, data: st.DataObject, caller: Caller, number: int) -> None:
        self.both("list_conflicts", caller, number, limit=data.draw(limits))
        found = self.pair.replayer.list_conflicts(READER, number)
        self.send("repropose", caller, number, data.draw(choices_on(found)))

    def overtake_with(self, operations: tuple[Operation, ...]) -> None:
        self.send("create", AUTHOR, NewProposal("Faster", None, operations))
        self.send("respond", REVIEWER, len(self.desk.proposals) - 1, Response("approve"))

    @precondition(lambda self: self.desk.proposals)
    @rule(data=st.data(), approve=st.booleans())
    def overtake(self, data: st.DataObject, approve: bool) -> None:
        """Let another Proposal move canonical first; try what becomes of the ones before it."""
        number = data.draw(self.some_proposal("open"))
        operations = data.draw(right_operations(self.canonical_tree))
        self.overtake_with(operations)
        if approve:
            self.send("respond", REVIEWER, number, Response("approve"))
        self.send("repropose", AUTHOR, number, Choices())

    def some_proposal(self, status: str | None = None) -> st.SearchStrategy[int]:
        """Any Proposal, rather one of a status."""
        numbers = [proposal.number for proposal in self.desk.proposals]
        likely = [number for number in numbers if self.desk.proposals[number].status == status]
        return st.sampled_from(likely * 4 + numbers)
