"""Rules that take things away: redaction, time, and the retention policy."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.oracle.retention import Policy
from tests.oracle.strategies import PATHS, mostly
from tests.oracle.values import Caller
from tests.properties.machine.base import Machine, anybody
from tests.properties.people import ADMIN

KEEPS_ALL = Policy()
LATE = 20
"""Steps after which all bodies may be erased: before, there is too little to lose."""
days = st.sampled_from((None, 1, 2, 5))
policies = st.one_of(
    st.fixed_dictionaries({"body_lifetime_days": days, "retire_superseded_after_days": days}),
    st.fixed_dictionaries({"body_lifetime_days": days}),
    st.fixed_dictionaries({"retire_superseded_after_days": days}),
    st.fixed_dictionaries({"zero_data_retention": st.booleans()}),
)


class Erasing(Machine):
    """Redactions and retention."""

    @rule(data=st.data(), caller=mostly(ADMIN, anybody))
    def redact(self, data: st.DataObject, caller: Caller) -> None:
        """One or two paths, rather such as some version holds."""
        held = sorted({path for version in self.oracle.versions for path in version.tree})
        some = st.sampled_from([*held * 2, *PATHS])
        self.send("redact", caller, data.draw(st.frozensets(some, min_size=1, max_size=2)))

    @rule(caller=mostly(ADMIN, anybody), missed=mostly(0, st.just(1)), changes=policies)
    def change_policy(self, caller: Caller, missed: int, changes: dict[str, Any]) -> None:
        self.both("change_policy", caller, self.workspace.version + missed, **changes)

    @precondition(lambda self: self.steps > LATE)
    @rule(caller=mostly(ADMIN, anybody))
    def erase_existing(self, caller: Caller) -> None:
        self.both("erase_existing", caller, self.workspace.version)

    @precondition(lambda self: self.workspace.policy.zero_data_retention)
    @rule()
    def keep_bodies_again(self) -> None:
        self.both("change_policy", ADMIN, self.workspace.version, zero_data_retention=False)

    @precondition(lambda self: self.workspace.policy != KEEPS_ALL)
    @rule(span=st.integers(0, 3), sweep=st.booleans())
    def wait(self, span: int, sweep: bool) -> None:
        """Let some days pass; the sweepers may have come meanwhile or not."""
        self.clock.move(days=span)
        if sweep:
            self.both("sweep")
