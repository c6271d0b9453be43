"""Contract S2, S4, X5: a Session's log in its order, without text, told to who may know."""

from time import monotonic, sleep
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from memory.models import MemoryVersion
from sessions.events import following
from sessions.events.entries import accessed, resources_resolved
from sessions.events.log import Entry, append
from sessions.models import Event, EventKind, Session
from sessions.queries.facts import resolve_mounts
from tenancy.models import ApiKey
from tests.agents import (
    SESSIONS,
    agent_of,
    checkpoint,
    make_scene,
    mount,
    working_ref,
)
from tests.client import Api, random_id
from tests.factories import grant, make_key, make_person
from tests.race import race
from tests.stores import StoreClient, put_operation

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(workspace):
    return make_scene(workspace)


@pytest.fixture
def work(scene):
    """A store, the ID of a Session that wrote in it, and its agent's client."""
    store = scene.store()
    session = scene.session(mount(store, "read_write"))["id"]
    working_ref(store, session).ok(201)
    agents = StoreClient(agent_of(scene, session), store.id)
    checkpoint(agents, session, put_operation("/notes/a.md", "a secret text")).ok()
    return store, session, agents


def _events(api, session, **query):
    return api.pages(f"{SESSIONS}/{session}/events", {"limit": "2", **query})


def _add(session, *entries):
    with transaction.atomic():
        return append(session, entries)


# --- the log ------------------------------------------------------------------------------------


def test_S4_the_log_tells_what_happened_in_its_order(scene, work):
    _, session, agents = work
    checkpoint(agents, session, put_operation("/b.md", "text"), turn="turn-2").ok()
    scene.api.post(f"{SESSIONS}/{session}/archive").ok()

    events = _events(scene.api, session)

    assert [event["type"] for event in events] == [
        "memory.mount_resolved",
        "memory.change_checkpointed",
        "memory.change_checkpointed",
        "session.archived",
    ]
    assert [event["position"] for event in events] == [1, 2, 3, 4]
    assert all(event["id"].startswith("evt_") for event in events)
    assert {event["session"] for event in events} == {session}
    assert (events[2]["turn"], events[2]["run"]) == ("turn-2", None)


def test_S5_a_checkpoint_is_told_once_with_what_it_sealed(scene, work):
    store, session, _ = work

    (told,) = _events(scene.api, session, type="memory.change_checkpointed")

    new = told["data"]["new_version"]
    version = store.get(f"versions/{new}").ok()
    difference = store.get("diff", {"base": version["parent_version"], "head": new}).ok()
    assert told["data"] == {
        "store": store.id,
        "working_ref": {"kind": "session", "session": session},
        "base_version": version["parent_version"],
        "new_version": new,
        "tree_hash": version["tree_hash"],
        "diff_hash": difference["diff_hash"],
        "changed_path_count": 1,
        "changed_paths": ["/notes/a.md"],
        "canonical_advanced": False,
    }


def test_S4_X5_an_event_holds_no_path_and_no_text(work):
    _, session, _ = work

    recorded = str(list(Event.objects.filter(session=session).values()))

    assert "notes" not in recorded
    assert "a secret text" not in recorded


def test_S4_paths_are_told_to_who_may_read_the_store(workspace, scene, work):
    store, session, agents = work
    reader = make_person(workspace)
    grant(reader, session, "read")
    api = Api(make_key(workspace, principal=reader)[1])

    def paths(client):
        (told,) = _events(client, session, type="memory.change_checkpointed")
        return told["data"]["changed_paths"], told["data"]["changed_path_count"]

    assert paths(api) == (None, 1)
    assert paths(agents.api) == (["/notes/a.md"], 1)
    grant(reader, store.id, "read")
    assert paths(api) == (["/notes/a.md"], 1)


def test_S4_an_event_names_200_paths_at_most_and_counts_all(scene, work, monkeypatch):
    _, session, agents = work
    monkeypatch.setattr("sessions.queries.events.PATHS_AT_MOST", 2)
    operations = [put_operation(f"/{number}.md", "text") for number in range(3)]
    checkpoint(agents, session, *operations).ok()

    told = _events(scene.api, session, type="memory.change_checkpointed")

    assert [event["data"]["changed_path_count"] for event in told] == [1, 3]
    assert told[1]["data"]["changed_paths"] == ["/0.md", "/1.md"]


def test_S4_who_may_read_the_log(workspace, scene, admin_api, work):
    _, session, _ = work
    address = f"{SESSIONS}/{session}/events"
    stranger = Api(make_key(workspace, principal=make_person(workspace))[1])
    others_agent = agent_of(scene, scene.session()["id"])

    denied = admin_api.get(address)
    assert (denied.status, denied.error) == (403, "policy.denied")
    assert f"`read` on {session}" in denied.message
    assert stranger.get(address).status == 404
    assert others_agent.get(address).status == 404


def test_S4_one_event_by_its_id(scene, work):
    _, session, _ = work
    listed = _events(scene.api, session)
    other = scene.session()["id"]

    for event in listed:
        assert scene.api.get(f"{SESSIONS}/{session}/events/{event['id']}").ok() == event
    assert scene.api.get(f"{SESSIONS}/{other}/events/{listed[0]['id']}").status == 404
    assert scene.api.get(f"{SESSIONS}/{session}/events/{random_id('event')}").status == 404


def test_M7_an_events_id_serves_as_provenance(scene, work):
    store, session, agents = work
    event = _events(scene.api, session)[1]["id"]
    provenance = {
        "source_event_ids": [event],
        "source_version_ids": [],
        "source_refs": [],
        "confidence": "observed",
        "valid_from": "2026-08-27T00:00:00.000Z",
    }

    made = checkpoint(agents, session, put_operation("/c.md", "text", provenance=provenance)).ok()

    read = store.read("/c.md", made["version"]).ok()
    assert read["provenance"]["source_event_ids"] == [event]


def test_the_log_is_not_rewritten(work):
    with pytest.raises(IntegrityError), transaction.atomic():
        Event.objects.update(told={})


# --- filtering, paging, following ---------------------------------------------------------------


def test_events_are_filtered_by_type_run_and_position(scene):
    session, run = scene.session()["id"], random_id("run")
    _add(
        session,
        Entry(EventKind.RUN_REFUSED, {}, run),
        Entry(EventKind.ARCHIVED, {}),
        Entry(EventKind.RUN_REFUSED, {}),
    )

    def found(**query):
        return [event["position"] for event in _events(scene.api, session, **query)]

    assert found() == [1, 2, 3]
    assert found(type="run.refused") == [1, 3]
    assert found(run=run) == [1]
    assert found(after="1") == [2, 3]
    assert found(after="3") == []
    for wrong in ({"type": "all"}, {"after": "-1"}, {"wait": "26"}, {"run": session}):
        answer = scene.api.get(f"{SESSIONS}/{session}/events", wrong)
        assert answer.error == "validation.malformed"


def test_nothing_is_skipped_or_repeated_while_events_are_added(scene):
    session = scene.session()["id"]
    _add(session, *[Entry(EventKind.RUN_REFUSED, {})] * 3)
    address = f"{SESSIONS}/{session}/events"

    first = scene.api.get(address, {"limit": "2"}).ok()
    _add(session, Entry(EventKind.ARCHIVED, {}))
    second = scene.api.get(address, {"limit": "2", "page": first["next_page"]}).ok()

    positions = [event["position"] for event in first["data"] + second["data"]]
    assert (positions, second["next_page"]) == ([1, 2, 3, 4], None)


def test_following_answers_at_once_when_there_is_something(scene, work):
    _, session, _ = work
    begun = monotonic()

    found = scene.api.get(f"{SESSIONS}/{session}/events", {"after": "1", "wait": "20"}).ok()

    assert [event["position"] for event in found["data"]] == [2]
    assert monotonic() - begun < 5


def test_following_ends_empty_when_nothing_comes(scene):
    session = scene.session()["id"]

    assert scene.api.get(f"{SESSIONS}/{session}/events", {"wait": "1"}).ok()["data"] == []


def test_following_waits_only_while_threads_are_to_spare(scene, monkeypatch):
    monkeypatch.setattr(following._threads, "acquire", lambda blocking: False)
    session, begun = scene.session()["id"], monotonic()

    assert scene.api.get(f"{SESSIONS}/{session}/events", {"wait": "20"}).ok()["data"] == []
    assert monotonic() - begun < 5


@pytest.mark.django_db(transaction=True)
def test_following_tells_the_next_event_that_fits_when_it_comes(workspace):
    scene = make_scene(workspace)
    session = scene.session()["id"]

    def happen():
        sleep(0.4)
        _add(session, Entry(EventKind.RUN_REFUSED, {}))
        sleep(0.4)
        scene.api.post(f"{SESSIONS}/{session}/archive").ok()

    query = {"type": "session.archived", "wait": "20"}
    followed: Any
    followed, _ = race(
        lambda: scene.api.get(f"{SESSIONS}/{session}/events", query).ok()["data"], happen
    )

    assert isinstance(followed, list)
    assert [event["position"] for event in followed] == [2]


@pytest.mark.django_db(transaction=True)
def test_events_that_come_at_once_stand_without_holes(workspace):
    session = make_scene(workspace).session()["id"]
    twice = [Entry(EventKind.RUN_REFUSED, {})] * 2

    race(*[lambda: _add(session, *twice)] * 4)

    positions = Event.objects.filter(session=session).values_list("position", flat=True)
    assert sorted(positions) == list(range(1, 9))
    assert Session.objects.get(id=session).event_count == 8


def test_R5_a_log_is_looked_at_once_more_before_it_is_sent(scene, work, monkeypatch):
    _, session, _ = work
    real = following.follow

    def take_back(*arguments, **more):
        found = real(*arguments, **more)
        revoke = Api(make_key(scene.workspace, key_class=ApiKey.Class.ADMIN)[1])
        revoke.patch(f"/v1/principals/{scene.person.id}", {"state": "disabled"}).ok()
        return found

    monkeypatch.setattr("sessions.api.events.follow", take_back)

    assert scene.api.get(f"{SESSIONS}/{session}/events").error == "auth.disabled_tenancy"


# --- what a turn was shown ----------------------------------------------------------------------


def _show(scene, session, *, zero_data_retention=False):
    resolved = resolve_mounts(Session.objects.select_related("environment").get(id=session))
    mounted = {
        mount.position: MemoryVersion.objects.get(id=resolution.version)
        for mount, resolution in resolved
    }
    run = random_id("run")
    entries = accessed(mounted, run_id=run, turn="1", zero_data_retention=zero_data_retention)
    return run, _add(session, resources_resolved(resolved, run_id=run), *entries)


def test_S4_what_a_turn_was_shown_is_told_once_a_store_with_its_manifest(scene):
    store, other = scene.store(), scene.store()
    store.change(put_operation("/a.md", "one"), put_operation("/b.md", "two")).ok()
    session = scene.session(mount(store), mount(other, "read_write"))["id"]

    run, _ = _show(scene, session)

    resources, *shown = _events(scene.api, session, run=run)
    assert [one["version"] for one in resources["data"]["mounts"]] == [
        store.canonical,
        other.canonical,
    ]
    assert [one["data"]["store"] for one in shown] == [store.id, other.id]
    first = store.get(f"versions/{store.canonical}").ok()
    assert shown[0]["data"] == {
        "method": "mount",
        "mount": 1,
        "store": store.id,
        "version": first["id"],
        "tree_hash": first["tree_hash"],
        "document_count": 2,
        "bytes": 6,
    }
    manifest = f"{SESSIONS}/{session}/events/{shown[0]['id']}/manifest"
    assert scene.api.pages(manifest, {"limit": "1"}) == store.pages("documents")
    store.put("/c.md", "later").ok()
    assert [row["path"] for row in scene.api.pages(manifest)] == ["/a.md", "/b.md"]


def test_S4_a_manifest_is_for_who_may_read_the_store(workspace, scene):
    store = scene.store()
    session = scene.session(mount(store))["id"]
    _, (resources, shown) = _show(scene, session)
    reader = make_person(workspace)
    grant(reader, session, "read")
    api = Api(make_key(workspace, principal=reader)[1])

    def manifest(event):
        return f"{SESSIONS}/{session}/events/{event.id}/manifest"

    assert api.get(manifest(shown)).status == 404
    assert scene.api.get(manifest(resources)).status == 404
    grant(reader, store.id, "read")
    assert api.get(manifest(shown)).ok()["data"] == []


def test_S4_under_zero_data_retention_only_counts_are_told(scene):
    store, other = scene.store(), scene.store()
    store.change(put_operation("/a.md", "one"), put_operation("/b.md", "two")).ok()
    session = scene.session(mount(store), mount(other))["id"]

    _, (_, *shown) = _show(scene, session, zero_data_retention=True)

    assert [event.told for event in shown] == [
        {"method": "mount", "store_count": 2, "document_count": 2}
    ]


def test_S4_without_mounts_nothing_was_shown(scene):
    for forbidden in (True, False):
        assert accessed({}, run_id=None, turn=None, zero_data_retention=forbidden) == []
