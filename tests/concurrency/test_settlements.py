"""Contract S5, M5: settlements of one Run at once."""

import pytest

from sessions.models import Checkpoint, Event, Run
from tests.agents import (
    at,
    capture,
    checkpoint,
    make_scene,
    mount,
    runner_of,
    settle,
    start_run,
    text,
)
from tests.client import Answer
from tests.race import outcomes, race
from tests.stores import put_operation

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def scene(workspace):
    return make_scene(workspace)


def _begun(scene):
    """Two stores, the Session that writes them, its Run, and what its runner found."""
    stores = [scene.store(), scene.store()]
    session = scene.session(*(mount(one, "read_write") for one in stores))["id"]
    run = start_run(scene, session).ok(201)["id"]
    captures = [capture(one, one.canonical, text("/a.md", "text")) for one in stores]
    return stores, session, run, captures


def test_S5_the_same_request_twice_at_once_commits_each_store_once(scene):
    stores, session, run, captures = _begun(scene)
    runner = runner_of(scene)

    answers = outcomes(race(*[lambda: settle(runner, run, *captures, key="once")] * 3), Answer)

    told = [{row["store"]: row["version"] for row in answer.ok()["results"]} for answer in answers]
    assert len(told) == 3
    assert told[0] == told[1] == told[2]
    assert told[0] == {one.id: at(one, session) for one in stores}
    assert Checkpoint.objects.filter(session=session).count() == 2
    assert Event.objects.filter(kind="memory.change_checkpointed").count() == 2
    assert Run.objects.get(id=run).state == "settled"


def test_M5_two_settlements_at_once_seal_a_turn_once(scene):
    stores, session, run, captures = _begun(scene)
    keys = [runner_of(scene) for _ in range(3)]

    answers = outcomes(race(*[lambda key=key: settle(key, run, *captures) for key in keys]), Answer)

    assert {answer.status for answer in answers} <= {200, 409}
    committed = [
        row["store"]
        for answer in answers
        if answer.status == 200
        for row in answer.body["results"]
        if row["status"] == "committed"
    ]
    assert sorted(committed) == sorted(one.id for one in stores)
    assert Checkpoint.objects.filter(session=session, turn=run).count() == 2


def test_S5_a_settlement_and_a_checkpoint_at_once_leave_one_line(scene):
    stores, session, run, captures = _begun(scene)
    runner, base = runner_of(scene), stores[0].canonical

    race(
        lambda: settle(runner, run, *captures),
        lambda: checkpoint(stores[0], session, put_operation("/b.md", "text"), base=base),
    )

    assert Checkpoint.objects.filter(session=session, store=stores[0].id).count() == 1
    sealed = Checkpoint.objects.get(session=session, store=stores[0].id)
    assert at(stores[0], session) == sealed.version_id
