"""Contract S3, S6: what each kind of selection reads, as stores, refs and grants move on."""

import pytest
from django.db import transaction

from memory import refs
from memory.actors import Actor
from memory.models import ActorKind, BodyErasure, DocumentVersion, RefKind
from memory.refs import RefName
from sessions.models import Access, Session
from sessions.mounts.resolver import Reason, Refusal
from sessions.queries.facts import resolve_mounts
from tenancy.models import PermissionAssignment
from tests.agents import at, checkpoint, exactly, make_scene, mount, own_store, working_ref
from tests.client import random_id
from tests.erasure import erase_bodies
from tests.factories import grant, make_space
from tests.stores import put_operation

pytestmark = pytest.mark.django_db

PUT = put_operation("/a.md", "text")


@pytest.fixture
def scene(workspace):
    return make_scene(workspace)


def _resolve(session):
    """What the mounts of a Session come to now."""
    found = Session.objects.select_related("environment").get(id=session["id"])
    return [resolution for _, resolution in resolve_mounts(found)]


def _resolved(session):
    (resolution,) = _resolve(session)
    return resolution


# --- no selection -------------------------------------------------------------------------------


def test_S3_a_reader_follows_canonical_until_its_session_has_a_working_ref(scene):
    store = scene.store()
    reader = scene.session(mount(store))

    store.put("/a.md", "text").ok()
    assert _resolved(reader).version == store.canonical
    working_ref(store, reader["id"]).ok(201)
    store.put("/b.md", "text").ok()
    assert _resolved(reader).version == at(store, reader["id"]) != store.canonical
    store.api.delete(store.url(f"working-refs/{reader['id']}"))
    assert _resolved(reader).version == store.canonical


def test_S3_a_writer_reads_its_working_ref_which_begins_at_canonical(scene):
    store = scene.store()
    writer, other = (scene.session(mount(store, "read_write")) for _ in range(2))

    first = _resolved(writer)
    assert (first.version, first.makes_working_ref) == (store.canonical, True)
    working_ref(store, writer["id"]).ok(201)
    sealed = checkpoint(store, writer["id"], PUT).ok()["version"]
    again = _resolved(writer)
    assert (again.version, again.makes_working_ref) == (sealed, False)
    assert _resolved(other).version == store.canonical


# --- exact versions -----------------------------------------------------------------------------


def test_S3_an_exact_version_never_moves(scene):
    store = scene.store()
    store.put("/a.md", "text").ok()
    version = store.canonical
    reader = scene.session(mount(store, selection=exactly(version)))

    store.put("/a.md", "more", over="text").ok()
    working_ref(store, reader["id"]).ok(201)

    assert _resolved(reader).version == version != store.canonical


@pytest.mark.parametrize("reason", ["redacted", "retired", "expired"])
def test_S3_one_that_is_not_retained_any_more_refuses_and_never_falls_back(scene, reason):
    store = scene.store()
    store.put("/a.md", "text").ok()
    reader = scene.session(mount(store, selection=exactly(store.canonical)))
    bodies = DocumentVersion.objects.values_list("id", flat=True)

    erase_bodies(store.id, bodies, BodyErasure.Reason(reason))

    resolution = _resolved(reader)
    assert (resolution.version, resolution.refusal) == (None, Refusal.VERSION_NOT_RETAINED)
    assert resolution.effective == Access.READ_ONLY


def test_S3_a_version_of_another_session_is_mounted_once_it_is_sealed(scene):
    store = scene.store()
    writer = scene.session(mount(store, "read_write"))
    working_ref(store, writer["id"]).ok(201)
    sealed = checkpoint(store, writer["id"], PUT).ok()["version"]

    reader = scene.session(mount(store, selection=exactly(sealed)))
    checkpoint(store, writer["id"], put_operation("/b.md", "text")).ok()

    assert _resolved(reader).version == sealed


# --- named refs ---------------------------------------------------------------------------------


def test_S3_a_session_ref_is_read_where_it_is(scene):
    store = scene.store()
    writer = scene.session(mount(store, "read_write"))
    selection = {"kind": "session", "session": writer["id"]}
    reader = scene.session(mount(store, selection=selection))

    assert _resolved(reader).refusal == Refusal.REF_MISSING
    working_ref(store, writer["id"]).ok(201)
    assert _resolved(reader).version == store.canonical
    sealed = checkpoint(store, writer["id"], PUT).ok()["version"]
    assert _resolved(reader).version == sealed
    store.api.delete(store.url(f"working-refs/{writer['id']}"))
    assert (_resolved(reader).version, _resolved(reader).refusal) == (None, Refusal.REF_MISSING)


def test_S3_a_proposals_ref_is_read_while_it_is_open(scene):
    store = scene.shared("read", "write", "review")
    body = {"title": "A title", "operations": [PUT]}
    made = store.api.post(store.url("proposals"), body).ok(201)
    reader = scene.session(mount(store, selection={"kind": "proposal", "proposal": made["id"]}))

    assert _resolved(reader).version == made["head_version"]
    answer = {"response": "reject"}
    store.api.post(store.url(f"proposals/{made['id']}/respond"), answer).ok()
    assert _resolved(reader).refusal == Refusal.REF_MISSING


def test_S3_a_curation_ref_and_canonical_are_read_where_they_are(scene):
    store, run = scene.store(), random_id("curation")
    first = store.canonical
    with transaction.atomic():
        refs.create(
            store_id=store.id,
            name=RefName(RefKind.CURATION, run),
            at=first,
            actor=Actor(ActorKind.CURATOR, run),
        )
    curated = scene.session(mount(store, selection={"kind": "curation", "run": run}))
    canonical = scene.session(mount(store, selection={"kind": "canonical"}))
    working_ref(store, canonical["id"]).ok(201)

    store.put("/a.md", "text").ok()

    assert _resolved(curated).version == first
    assert _resolved(canonical).version == store.canonical != first


# --- writing on a selection ---------------------------------------------------------------------


def test_S3_a_selection_that_is_written_on_freezes_the_base(workspace):
    scene = make_scene(workspace, memory_writer="native")
    store = scene.store()
    base = store.canonical
    store.put("/a.md", "text").ok()
    writer = scene.session(mount(store, "read_write", selection=exactly(base)))

    first = _resolved(writer)
    assert (first.version, first.makes_working_ref) == (base, True)
    working_ref(store, writer["id"]).ok(201)
    assert _resolved(writer).refusal == Refusal.WORKING_REF_ELSEWHERE
    assert _resolved(writer).version is None


# --- access is what it is now -------------------------------------------------------------------


def test_S2_grants_count_as_they_are_now(workspace, scene):
    store = scene.store()
    session = scene.session(mount(store, "read_write"))
    mine = PermissionAssignment.objects.filter(target_uuid=store.id)

    assert _resolved(session).effective == Access.READ_WRITE
    mine.filter(subject_uuid=scene.agent.id).update(permissions=["read"])
    assert _resolved(session).reasons == (Reason.AGENT_WITHOUT_WRITE,)
    mine.filter(subject_uuid=scene.agent.id).delete()
    assert _resolved(session).reasons[0] == Reason.AGENT_WITHOUT_READ
    grant(make_space(workspace, scene.agent), store.id, "read", "write")
    assert _resolved(session).effective == Access.READ_WRITE


def test_S2_a_sessions_own_grants_reach_its_agent_there_and_nowhere_else(scene):
    store, owner = own_store(scene)
    PermissionAssignment.objects.filter(target_uuid=store.id, subject_uuid=scene.agent.id).delete()

    other = scene.start(mount(store, "read_write"))

    assert (other.status, other.error) == (403, "policy.denied")
    assert owner != scene.session()["id"]


def test_S2_a_store_that_is_archived_or_gone_later(scene, admin_api):
    store, other = scene.store(), scene.store()
    session = scene.session(mount(store, "read_write"), mount(other))
    store.patch(lifecycle="archived").ok()
    admin_api.delete(other.url(), key=None).ok(202)

    written, read = _resolve(session)

    assert written.refusal == Refusal.ARCHIVED
    assert (read.effective, read.reasons) == (Access.NONE, (Reason.STORE_GONE,))
