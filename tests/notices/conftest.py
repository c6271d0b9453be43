"""A store under review, and people who are to be told what happens there."""

import pytest

from tests.proposals.scenario import Scenario, make_scenario


@pytest.fixture
def scenario(db: None) -> Scenario:
    return make_scenario()
