"""Contract S2, S3, R5, M2: what a mount reads, listed and as one file, for those who take part."""

import io
import tarfile
import zipfile
from hashlib import sha256
from typing import Any, NamedTuple

import pytest

from memory.documents.packing import ArchiveFormat, packer_of
from memory.models import DocumentVersion, MemoryStore
from sessions.mounts.archives import ArchiveCutShort
from sessions.mounts.reading import recheck_mounted
from tenancy.actions.permissions import revoke
from tenancy.models import PermissionAssignment
from tests.agents import (
    SESSIONS,
    Scene,
    agent_of,
    at,
    checkpoint,
    exactly,
    make_scene,
    mount,
    runner_of,
    start_run,
    working_ref,
)
from tests.client import Answer, Api, random_id
from tests.clock import Clock
from tests.erasure import erase_bodies
from tests.factories import grant, make_admin_key, make_key, make_person, make_runner_key, platform
from tests.interleaving import answer_after, without_transaction
from tests.retention import set_policy
from tests.stores import StoreClient, hash_of, put_operation

pytestmark = pytest.mark.django_db

TREE = {"/a.md": "one\n", "/b/c.txt": "two\n", "/b/d/ü — 字.md": "three ☃\n"}
FORMATS = [str(form) for form in ArchiveFormat]


class Work(NamedTuple):
    """A Session that mounts one store with a few documents."""

    scene: Scene
    store: StoreClient
    session: str

    def ask(self, what: str, api: Api | None = None, mounted: int = 1, **query: str) -> Answer:
        address = f"{SESSIONS}/{self.session}/mounts/{mounted}/{what}"
        return (api or self.scene.api).get(address, query)

    def lists(self, **query: Any) -> Any:
        return self.ask("tree", **query).ok()


def _unpacked(answer: Answer) -> dict[str, str]:
    """The documents of an archive by their paths, in its order."""
    assert answer.status == 200, answer.body
    file = io.BytesIO(answer.content)
    if answer.headers["Content-Type"] == "application/zip":
        packed = zipfile.ZipFile(file)
        assert packed.testzip() is None
        return {f"/{name}": packed.read(name).decode() for name in packed.namelist()}
    with tarfile.open(fileobj=file) as tar:
        read = {f"/{one.name}": tar.extractfile(one) for one in tar.getmembers()}
        return {path: content.read().decode() for path, content in read.items() if content}


@pytest.fixture
def scene(workspace):
    return make_scene(workspace)


@pytest.fixture
def work(scene):
    store = scene.store()
    store.change(*(put_operation(path, text) for path, text in TREE.items())).ok()
    return Work(scene, store, scene.session(mount(store, mount_path="/memory"))["id"])


# --- what is told -------------------------------------------------------------------------------


def test_S3_the_tree_lists_what_the_mount_reads_and_names_the_version(work):
    version = work.store.get(f"versions/{work.store.canonical}").ok()

    tree = work.lists()

    documents = tree.pop("data")
    assert tree == {
        "mount": 1,
        "store": work.store.id,
        "mount_path": "/memory",
        "version": version["id"],
        "tree_hash": version["tree_hash"],
        "document_count": 3,
        "bytes": version["total_bytes"],
        "next_page": None,
    }
    assert [(one["path"], one["content_sha256"]) for one in documents] == [
        (path, hash_of(text)) for path, text in TREE.items()
    ]
    assert documents[0] | {"content_sha256": ""} == {
        "path": "/a.md",
        "content_sha256": "",
        "media_type": "text/markdown",
        "bytes": 4,
        "expires_at": None,
    }


@pytest.mark.parametrize("form", FORMATS)
def test_S3_an_archive_holds_every_document_byte_by_byte(work, form):
    answer = work.ask("archive", format=form)

    assert list(_unpacked(answer).items()) == list(TREE.items())
    name = f'attachment; filename="{work.store.canonical}.{form}"'
    assert answer.headers["Content-Disposition"] == name


def test_S3_mounts_go_by_their_position(scene, work):
    other = scene.store()
    other.put("/other.md", "x").ok()
    both = Work(scene, other, scene.session(mount(work.store), mount(other))["id"])

    assert both.ask("tree", mounted=2).ok()["store"] == other.id
    assert _unpacked(both.ask("archive", mounted=2)) == {"/other.md": "x"}
    for unknown in (0, 3, 10**20):
        assert both.ask("tree", mounted=unknown).error == "memory.not_found"
        assert both.ask("archive", mounted=unknown).error == "memory.not_found"


def test_an_empty_mount_is_an_empty_archive(scene):
    work = Work(scene, store := scene.store(), scene.session(mount(store))["id"])

    assert work.lists()["data"] == []
    assert all(_unpacked(work.ask("archive", format=form)) == {} for form in FORMATS)


def test_the_query_is_checked_after_the_mount_is_found(work):
    assert work.ask("archive", format="rar").error == "validation.malformed"
    assert work.ask("tree", run="run_1").error == "validation.malformed"
    assert work.ask("archive", mounted=9, format="rar").error == "memory.not_found"


# --- which version ------------------------------------------------------------------------------


def test_S3_a_run_keeps_its_version_and_the_mount_moves_on(scene, work):
    run = start_run(scene, work.session).ok(201)["id"]
    frozen = work.store.canonical
    work.store.put("/later.md", "later").ok()

    assert work.lists(run=run)["version"] == frozen
    assert _unpacked(work.ask("archive", run=run)) == TREE
    assert work.lists()["version"] == work.store.canonical
    assert "/later.md" in _unpacked(work.ask("archive"))


def test_S3_an_exact_version_never_moves_and_a_working_ref_is_read_where_it_is(scene, work):
    pinned = work.store.canonical
    reader = Work(
        scene, work.store, scene.session(mount(work.store, selection=exactly(pinned)))["id"]
    )
    writer = Work(scene, work.store, scene.session(mount(work.store, "read_write"))["id"])
    working_ref(work.store, writer.session).ok(201)
    checkpoint(work.store, writer.session, put_operation("/new.md", "new")).ok()

    assert reader.lists()["version"] == pinned
    assert writer.lists()["version"] == at(work.store, writer.session)
    assert _unpacked(writer.ask("archive")) == {**TREE, "/new.md": "new"}


def test_a_run_is_one_of_this_session_that_mounted_something(workspace, work):
    blind = make_scene(workspace, can_enumerate=False)
    store = blind.store()
    failing = Work(blind, store, blind.session(mount(store, "read_write"))["id"])
    assert start_run(blind, failing.session).error == "runtime.harness_incompatible"
    (failed,) = blind.api.pages(f"{SESSIONS}/{failing.session}/runs")

    assert failing.ask("archive", run=failed["id"]).error == "memory.conflict"
    assert work.ask("archive", run=failed["id"]).error == "memory.not_found"
    assert work.ask("tree", run=random_id("run")).error == "memory.not_found"


def test_S3_pages_are_of_one_version_and_say_so_when_it_moved(scene, work):
    run = start_run(scene, work.session).ok(201)["id"]
    page = work.lists(limit="2")
    assert [one["path"] for one in work.lists(limit="2", page=page["next_page"])["data"]] == [
        "/b/d/ü — 字.md"
    ]
    work.store.put("/later.md", "later").ok()

    assert work.ask("tree", limit="2", page=page["next_page"]).error == "memory.conflict"
    assert len(work.lists(limit="2", page=page["next_page"], run=run)["data"]) == 1


def test_a_page_leads_to_no_other_version_of_the_store(scene, work):
    """A token says where to go on, never what may be read."""
    pinned = work.store.canonical
    work.store.put("/later.md", "later").ok()
    token = work.lists(limit="1")["next_page"]
    reader = Work(
        scene, work.store, scene.session(mount(work.store, selection=exactly(pinned)))["id"]
    )

    assert reader.ask("tree", page=token).error == "memory.conflict"


# --- who ----------------------------------------------------------------------------------------


def test_S2_principal_agent_and_runner_read_what_is_mounted(scene, work):
    for api in (scene.api, agent_of(scene, work.session), runner_of(scene)):
        assert len(work.ask("tree", api).ok()["data"]) == 3
        assert _unpacked(work.ask("archive", api)) == TREE


def test_S2_nobody_else_does(workspace, scene, work):
    reader = make_person(workspace)
    grant(reader, work.session, "read")
    grant(reader, work.store.id, "read")
    other = make_scene(workspace)
    strangers = {
        "memory.not_found": [
            Api(make_key(workspace, principal=make_person(workspace))[1]),
            Api(make_runner_key(workspace, other.environment)[1]),
        ],
        "policy.denied": [
            Api(make_key(workspace, principal=reader)[1]),
            Api(make_admin_key(workspace)[1]),
        ],
    }
    for error, apis in strangers.items():
        for api in apis:
            assert work.ask("tree", api).error == error
            assert work.ask("archive", api).error == error


@pytest.mark.parametrize("lost", ["agent", "principal", "act_as"])
def test_S2_both_need_read_now_also_for_a_run_that_began_with_it(scene, work, lost):
    run = start_run(scene, work.session).ok(201)["id"]
    on = {"subject_uuid": (scene.agent if lost == "agent" else scene.person).id}
    on["target_uuid"] = scene.agent.id if lost == "act_as" else work.store.id
    gone = PermissionAssignment.objects.get(**on)
    revoke(caller=platform(scene.workspace), assignment_id=gone.id)

    for api in (scene.api, runner_of(scene)):
        for query in ({}, {"run": run}):
            assert work.ask("tree", api, **query).error == "policy.denied"
            assert work.ask("archive", api, **query).error == "policy.denied"


def test_S2_an_archived_session_hands_nothing_out(scene, work):
    scene.api.post(f"{SESSIONS}/{work.session}/archive").ok()

    assert work.ask("archive").error == "memory.read_only"
    assert work.ask("tree", runner_of(scene)).error == "memory.read_only"


def test_S2_a_store_that_is_gone_or_refused_is_not_handed_out(scene, work):
    writer = Work(scene, work.store, scene.session(mount(work.store, "read_write"))["id"])
    MemoryStore.objects.filter(id=work.store.id).update(lifecycle="archived")
    assert work.ask("tree").status == 200
    assert writer.ask("tree").error == "memory.read_only"

    MemoryStore.objects.filter(id=work.store.id).update(lifecycle="deleting")
    assert work.ask("archive").error == "policy.denied"


# --- never in part ------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["tree", "archive"])
def test_S3_a_version_of_which_a_text_is_gone_is_refused_whole(scene, work, what):
    run = start_run(scene, work.session).ok(201)["id"]
    erase_bodies(work.store.id, [DocumentVersion.objects.get(path="/b/c.txt").id])

    for query in ({}, {"run": run}, {"limit": "1"} if what == "tree" else {"format": "zip"}):
        answer = work.ask(what, **query)
        assert answer.error == "memory.conflict"
        assert "not retained whole" in answer.message


@pytest.mark.parametrize("what", ["tree", "archive"])
def test_X3_nor_is_it_after_the_first_of_its_ceilings(workspace, scene, clock: Clock, what):
    set_policy(workspace, body_lifetime_days=30)
    store = scene.store()
    store.put("/a.md", "text").ok()
    work = Work(scene, store, scene.session(mount(store))["id"])
    assert work.lists()["data"][0]["expires_at"]
    clock.move(days=30)

    assert work.ask(what).error == "memory.conflict"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("what", ["tree", "archive"])
@pytest.mark.parametrize("lost", ["grant", "text"])
def test_R5_what_was_read_already_is_looked_at_again(scene, work, what, lost):
    def meanwhile():
        if lost == "text":
            erase_bodies(work.store.id, [DocumentVersion.objects.get(path="/a.md").id])
            return
        gone = PermissionAssignment.objects.get(
            subject_uuid=scene.agent.id, target_uuid=work.store.id
        )
        without_transaction(revoke)(caller=platform(scene.workspace), assignment_id=gone.id)

    answer = answer_after(lambda: work.ask(what), reading="memory_treepage", meanwhile=meanwhile)

    assert answer.error == {"grant": "memory.not_found", "text": "memory.conflict"}[lost]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("lost", ["grant", "text", "act_as", "session"])
def test_R5_a_download_that_may_not_go_on_breaks_off_without_its_end(
    scene, work, form, lost, monkeypatch
):
    """Each part is looked at before it leaves; what is cut short nobody takes for whole."""
    monkeypatch.setattr("sessions.mounts.archives.PART_DOCUMENTS", 1)
    address = f"{SESSIONS}/{work.session}/mounts/1/archive"
    parts: Any = scene.api.http.get(address, {"format": form}, headers=scene.api.headers)
    sent = [next(parts.streaming_content)]
    if lost == "text":
        erase_bodies(work.store.id, [DocumentVersion.objects.get(path="/b/c.txt").id])
    elif lost == "session":
        scene.api.post(f"{SESSIONS}/{work.session}/archive").ok()
    else:
        target = work.store.id if lost == "grant" else scene.agent.id
        gone = PermissionAssignment.objects.get(subject_uuid=scene.person.id, target_uuid=target)
        revoke(caller=platform(scene.workspace), assignment_id=gone.id)

    with pytest.raises(ArchiveCutShort):
        sent += parts.streaming_content

    assert b"two" not in b"".join(sent)
    if form == "zip":
        with pytest.raises(zipfile.BadZipFile):
            zipfile.ZipFile(io.BytesIO(b"".join(sent)))


def test_R5_what_the_client_has_already_is_rechecked_too(scene, work, monkeypatch):
    etag = work.ask("archive").headers["ETag"]

    def late(*args):
        gone = PermissionAssignment.objects.get(
            subject_uuid=scene.agent.id, target_uuid=work.store.id
        )
        revoke(caller=platform(scene.workspace), assignment_id=gone.id)
        recheck_mounted(*args)

    monkeypatch.setattr("sessions.api.mounts.recheck_mounted", late)
    address = f"{SESSIONS}/{work.session}/mounts/1/archive"

    assert scene.api.get(address, If_None_Match=etag).error == "memory.not_found"


# --- the same bytes -----------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_version_is_the_same_bytes_under_one_strong_entity_tag(
    scene, work, form, clock: Clock
):
    first = work.ask("archive", format=form)
    reader = Work(
        scene, work.store, scene.session(mount(work.store, mount_path="/elsewhere"))["id"]
    )
    clock.move(days=1)
    again = reader.ask("archive", runner_of(scene), format=form)
    address = f"{SESSIONS}/{work.session}/mounts/1/archive"
    known = scene.api.get(address, {"format": form}, If_None_Match=first.headers["ETag"])

    assert again.content == first.content
    assert again.headers["ETag"] == first.headers["ETag"]
    assert first.headers["ETag"].startswith('"sha256:')
    assert (known.status, known.content) == (304, b"")
    other = work.ask("archive", format="zip" if form == "tar" else "tar")
    assert other.headers["ETag"] != first.headers["ETag"]
    work.store.put("/later.md", "later").ok()
    assert (
        scene.api.get(address, {"format": form}, If_None_Match=again.headers["ETag"]).status == 200
    )


GOLDEN = {
    "tar": "3a0c9a772671055d10f25f431d447fc1f22d415c8d2f8868dd0b2ab686b44069",
    "zip": "d71d22adf0064001bbf33a90bffae884d0dba6d6e8939ed20fc00d9ae37856c4",
}


@pytest.mark.parametrize("form", FORMATS)
def test_the_bytes_are_those_of_earlier_releases(form):
    """A change of them, whoever made it, has to count `memory.documents.packing.LAYOUT` up."""
    packer = packer_of(ArchiveFormat(form))
    packed = b"".join(packer.add(path, text.encode()) for path, text in TREE.items())

    assert sha256(packed + packer.end()).hexdigest() == GOLDEN[form]


# --- any path -----------------------------------------------------------------------------------

NAUGHTY = sorted(
    {
        "/..a/.b./...",
        "/-rf",
        "/~root/.ssh/authorized_keys",
        "/C:/Windows/System32/x",
        "/ leading and trailing /x ",
        "/CON.txt",
        "/@PaxHeader/@LongLink",
        "/%2e%2e/%2fetc/passwd",
        "/a\u00a0b/é/字/🙂.md",
        "/" + "s" * 255,
        "/" + "/".join(["d" * 100] * 10),
        "/" + "/".join(["字" * 60] * 5),
        "/" + "/".join("x" * 32),
        "/*?\"<>|'`$(id);&",
    }
)


@pytest.mark.parametrize("form", FORMATS)
def test_M2_any_path_survives_and_none_leads_out_of_where_it_is_unpacked(scene, form, tmp_path):
    store = scene.store()
    store.change(*(put_operation(path, f"at {path}") for path in NAUGHTY)).ok()
    work = Work(scene, store, scene.session(mount(store))["id"])

    answer = work.ask("archive", format=form)

    assert _unpacked(answer) == {path: f"at {path}" for path in NAUGHTY}
    if form == "tar":
        with tarfile.open(fileobj=io.BytesIO(answer.content)) as packed:
            packed.extractall(tmp_path, filter="data")
    else:
        zipfile.ZipFile(io.BytesIO(answer.content)).extractall(tmp_path)
    for path in NAUGHTY:
        assert (tmp_path / path[1:]).read_text() == f"at {path}"
    assert sum(one.is_file() for one in tmp_path.rglob("*")) == len(NAUGHTY)


def test_M2_members_are_plain_files_of_nobody(work):
    content = work.ask("archive").content
    with tarfile.open(fileobj=io.BytesIO(content)) as packed:
        members = packed.getmembers()
    assert {(one.type, one.mode, one.mtime, one.uid, one.gid) for one in members} == {
        (tarfile.REGTYPE, 0o644, 0, 0, 0)
    }
    assert {one.uname + one.gname for one in members} == {""}
    listed = zipfile.ZipFile(io.BytesIO(work.ask("archive", format="zip").content)).infolist()
    assert {(one.external_attr >> 16, one.date_time[0], one.compress_type) for one in listed} == {
        (0o100644, 1980, zipfile.ZIP_STORED)
    }
    assert not any(one.flag_bits & 0x08 for one in listed)
