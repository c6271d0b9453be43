"""Oracle and product side by side: the same questions, the same answers, whatever the order."""

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.clock import Clock
from tests.factories import make_workspace
from tests.properties.machine.copying import Copying
from tests.properties.machine.erasing import Erasing
from tests.properties.machine.proposing import Proposing
from tests.properties.machine.reading import Reading
from tests.properties.machine.writing import Writing
from tests.properties.people import make_people


class StoreMachine(Writing, Proposing, Reading, Erasing, Copying):
    """All rules."""


@pytest.mark.parametrize(
    ("examples", "steps"), [(8, 30), pytest.param(100, 60, marks=pytest.mark.soak)]
)
@pytest.mark.django_db(transaction=True)
def test_the_product_does_what_the_oracle_does(examples: int, steps: int, clock: Clock):
    StoreMachine.people = make_people(make_workspace())
    StoreMachine.clock = clock
    bounded = settings(max_examples=examples, stateful_step_count=steps)
    run_state_machine_as_test(StoreMachine, settings=bounded)
