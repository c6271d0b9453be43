"""Contract M3, M4, M8 and M9: versions, refs, hashes and the three identifiers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction

from memory import refs
from memory.actors import IMPORTER, actor_of
from memory.models import MemoryVersion, Ref, RefKind, VersionKind
from memory.refs import CANONICAL, RefName
from memory.versions.sealing import Put, draft, seal
from tenancy.models import ApiKey
from tests.client import random_id
from tests.factories import caller_for
from tests.stores import (
    delete_operation,
    hash_of,
    personal_store,
    put_operation,
)
from wire.errors import Conflict

pytestmark = pytest.mark.django_db

VERIFIER = Path(__file__).parents[2] / "docs" / "verify_tree_hash.py"


@pytest.fixture
def store(workspace):
    return personal_store(workspace)


def _owner(store):
    """The Caller that the store's key makes, for steps that no route offers yet."""
    return caller_for(ApiKey.objects.exclude(principal=None).latest("id"))


def _make_ref(store, name, at):
    with transaction.atomic():
        refs.create(store_id=store.id, name=name, at=at, actor=actor_of(_owner(store)))


# --- M3 --------------------------------------------------------------------------------------


def test_M3_creation_seals_an_empty_initial_version(store):
    versions = store.pages("versions")

    assert len(versions) == 1
    first = versions[0]
    assert first["id"] == store.canonical
    assert (first["kind"], first["parent_version"], first["message"]) == ("initial", None, None)
    assert (first["document_count"], first["total_bytes"]) == (0, 0)
    assert first["source"] is None
    assert first["store"] == store.id


def test_M3_a_write_seals_a_child_with_the_whole_tree_counted(store):
    parent = store.canonical
    version = store.change(
        put_operation("/a.md", "four"), put_operation("/b.md", "sixsix"), message="Because"
    ).ok()["version"]

    told = store.get(f"versions/{version}").ok()

    assert told["parent_version"] == parent
    assert (told["document_count"], told["total_bytes"]) == (2, 10)
    assert (told["kind"], told["message"]) == ("direct", "Because")
    assert told in store.pages("versions")


def test_M3_counts_follow_replacing_and_deleting(store):
    store.put("/a.md", "four").ok()
    store.put("/a.md", "sixsix", over="four").ok()
    store.put("/b.md", "1").ok()
    store.delete("/b.md", over="1").ok()

    counts = [(row["document_count"], row["total_bytes"]) for row in store.pages("versions")]

    assert counts == [(1, 6), (2, 7), (1, 6), (1, 4), (0, 0)]


def test_M3_a_version_is_named_by_either_prefix(store):
    version = store.put("/a.md", "text").ok()["version"]
    revision = version.replace("memver_", "mrev_")

    assert store.get(f"versions/{revision}").ok()["id"] == version
    assert store.read("/a.md", revision).ok()["version"] == version
    assert store.get("documents", {"version": revision}).ok()["version"] == version
    assert store.get("diff", {"base": revision, "head": version}).ok()["data"] == []
    assert store.get("history", {"path": "/a.md", "version": revision}).ok()["version"] == version
    store.change(put_operation("/b.md", "1"), base=revision).ok()


def test_M3_the_actor_is_the_credential(store):
    store.put("/a.md", "text").ok()
    key = _owner(store)

    written, made = (version["actor"] for version in store.pages("versions"))

    assert written == {"kind": "api_key", "key": key.id}
    assert made == {"kind": "principal", "principal": key.principal_id}


def test_M3_versions_are_found_by_kind_and_actor(store):
    version = store.put("/a.md", "text").ok()["version"]
    first = store.pages("versions")[1]
    key = _owner(store)

    def found(**query):
        return [row["id"] for row in store.pages("versions", **query)]

    assert found(kind="direct") == [version]
    assert found(kind="initial") == [first["id"]]
    assert found(actor=key.id) == [version]
    assert found(actor=key.principal_id) == [first["id"]]
    assert found(actor="platform") == found(actor=random_id("session")) == []
    assert store.get("versions", {"actor": store.id}).status == 400
    assert store.get("versions", {"kind": "merge"}).status == 400


@pytest.mark.parametrize(
    ("kind", "field", "sealed"),
    [
        ("canonical", None, "direct"),
        ("session", "session", "session_checkpoint"),
        ("curation", "run", "curation"),
    ],
)
def test_M3_each_ref_seals_its_own_kind(store, kind, field, sealed):
    naming = {"kind": kind}
    if field:
        naming[field] = random_id(kind)
        _make_ref(store, RefName(RefKind(kind), naming[field]), store.canonical)

    version = store.change(put_operation("/a.md", "text"), ref=naming).ok()["version"]

    assert store.get(f"versions/{version}").ok()["kind"] == sealed
    assert (store.canonical == version) == (kind == "canonical")


@pytest.mark.parametrize(
    "columns",
    [
        {"kind": "squash"},
        {"actor_kind": "automation"},
        {"actor_kind": "platform", "actor_uuid": None},
        {"actor_kind": "platform", "actor_uuid": None, "actor_operation": "merge"},
        {"actor_operation": "import"},
        {"actor_kind": "session_agent"},
        {"actor_uuid": None},
    ],
    ids=str,
)
def test_M3_the_database_knows_no_other_kind_or_actor(store, columns):
    first = MemoryVersion.objects.get()
    values = {
        field.attname: getattr(first, field.attname)
        for field in MemoryVersion._meta.concrete_fields
    }

    with pytest.raises(IntegrityError), transaction.atomic():
        MemoryVersion.objects.create(**values | {"id": random_id("version")} | columns)


def test_M3_the_platforms_versions_say_what_it_did(store):
    with transaction.atomic():
        version = seal(
            store_id=store.id,
            draft=draft(MemoryVersion.objects.get(), {"/a.md": Put("text")}),
            kind=VersionKind.IMPORT,
            actor=IMPORTER,
        )
        refs.advance(
            store_id=store.id,
            name=CANONICAL,
            expected=store.canonical,
            to=version.id,
            actor=IMPORTER,
        )

    platform = {"kind": "platform", "operation": "import"}
    assert store.get(f"versions/{version.id}").ok()["actor"] == platform
    assert store.pages("reflog")[0]["actor"] == platform
    assert [row["id"] for row in store.pages("versions", actor="platform")] == [version.id]


# --- M4 --------------------------------------------------------------------------------------


def test_M4_every_ref_has_one_shape(store):
    at = store.canonical
    owners = {kind: random_id(kind) for kind in ("session", "proposal", "curation")}
    for kind, owner in owners.items():
        _make_ref(store, RefName(RefKind(kind), owner), at)

    found = store.pages("refs", limit=3)

    for ref in found:
        assert ref.pop("updated_at")
        assert ref.pop("store") == store.id
        assert ref.pop("version") == at
    assert found == [
        {"kind": "canonical"},
        {"kind": "session", "session": owners["session"]},
        {"kind": "proposal", "proposal": owners["proposal"]},
        {"kind": "curation", "run": owners["curation"]},
    ]


def test_M4_a_ref_moves_from_exactly_where_it_was_thought_to_be(store):
    base = store.canonical
    store.change(put_operation("/a.md", "first"), base=base).ok()

    refused = store.change(put_operation("/b.md", "second"), base=base)

    assert refused.error == "memory.conflict"
    assert base in refused.message
    assert store.canonical in refused.message
    assert [row["path"] for row in store.pages("documents")] == ["/a.md"]


def test_M4_every_movement_is_logged(store):
    first = store.canonical
    second = store.put("/a.md", "text").ok()["version"]
    name = RefName(RefKind.SESSION, random_id("session"))
    _make_ref(store, name, second)
    with transaction.atomic():
        refs.release(store_id=store.id, name=name, actor=actor_of(_owner(store)))

    log = store.pages("reflog", limit=2)

    session = {"kind": "session", "session": name.owner_id}
    assert [(row["ref"], row["before"], row["after"]) for row in log] == [
        (session, second, None),
        (session, None, second),
        ({"kind": "canonical"}, first, second),
        ({"kind": "canonical"}, None, first),
    ]
    assert log[2]["actor"]["kind"] == "api_key"
    assert all(row["at"].endswith("Z") for row in log)


def test_M4_releasing_what_is_gone_does_nothing(store):
    name = RefName(RefKind.SESSION, random_id("session"))
    with transaction.atomic():
        refs.release(store_id=store.id, name=name, actor=IMPORTER)

    assert len(store.pages("reflog")) == 1


def test_M4_advancing_a_ref_that_is_gone_conflicts(store):
    name = RefName(RefKind.SESSION, random_id("session"))

    with pytest.raises(Conflict), transaction.atomic():
        refs.advance(
            store_id=store.id,
            name=name,
            expected=store.canonical,
            to=store.canonical,
            actor=IMPORTER,
        )


def test_M4_a_change_set_on_a_proposal_ref_is_409(store):
    proposal = random_id("proposal")
    _make_ref(store, RefName(RefKind.PROPOSAL, proposal), store.canonical)

    refused = store.change(
        put_operation("/a.md", "text"), ref={"kind": "proposal", "proposal": proposal}
    )

    assert refused.error == "memory.conflict"


@pytest.mark.parametrize(
    "ref",
    [
        None,
        "canonical",
        {},
        {"kind": "main"},
        {"kind": "canonical", "session": "sess_" + "0" * 32},
        {"kind": "session"},
        {"kind": "session", "session": "run_" + "0" * 32},
        {"kind": "proposal", "session": "sess_" + "0" * 32},
        {"kind": "curation", "run": 7},
    ],
    ids=str,
)
def test_M4_a_ref_named_in_another_form_is_400(store, ref):
    refused = store.change(put_operation("/a.md", "text"), ref=ref)

    assert refused.error == "validation.malformed"
    assert "ref" in refused.message


@pytest.mark.parametrize(
    ("kind", "owned"), [("canonical", True), ("session", False), ("main", True)]
)
def test_M4_the_database_knows_no_other_name(store, kind, owned):
    with pytest.raises(IntegrityError), transaction.atomic():
        Ref.objects.update(kind=kind, owner_uuid=random_id("session") if owned else None)


def test_M4_a_store_has_one_ref_of_a_name(store):
    with pytest.raises(IntegrityError):
        _make_ref(store, CANONICAL, store.canonical)


# --- M8 --------------------------------------------------------------------------------------


def _verify(tmp_path, base, head, **published):
    """Let the published verifier, which shares no code with the server, judge its hashes."""
    case = tmp_path / "case.json"
    case.write_text(json.dumps([{"base": base, "documents": head, **published}]))
    ran = subprocess.run(
        [sys.executable, VERIFIER, case], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout
    assert ran.stdout.count(" ok") == 2


def _tree(store, version):
    return [
        {
            "path": row["path"],
            "content_sha256": row["content_sha256"],
            "media_type": row["media_type"],
        }
        for row in store.pages("documents", version=version, limit=200)
    ]


def test_M8_hashes_agree_with_the_published_verifier(store, tmp_path):
    first = store.change(
        *(put_operation(f"/d{number % 7}/f{number}.md", str(number)) for number in range(200))
    ).ok()["version"]
    second = store.change(
        put_operation("/d0/f0.md", "changed", over="0"),
        put_operation("/d0/f7.md", "7", over="7", media_type="text/plain"),
        delete_operation("/d1/f1.md", over="1"),
        put_operation("/moved.md", "1"),
        put_operation("/é/😀.md", "new"),
    ).ok()["version"]

    diff = store.get("diff", {"base": first, "head": second}).ok()
    tree_hash = store.get(f"versions/{second}").ok()["tree_hash"]

    _verify(
        tmp_path,
        _tree(store, first),
        _tree(store, second),
        tree_hash=tree_hash,
        diff_hash=diff["diff_hash"],
    )


def test_M8_the_hash_is_of_the_tree_and_not_of_its_history(workspace):
    one, other = personal_store(workspace), personal_store(workspace)
    one.change(put_operation("/a.md", "1"), put_operation("/b.md", "2")).ok()
    other.put("/b.md", "other").ok()
    other.put("/a.md", "1").ok()
    other.put("/b.md", "2", over="other").ok()

    hashes = {row["tree_hash"] for row in (one.pages("versions")[0], other.pages("versions")[0])}

    assert len(hashes) == 1


# --- M9 --------------------------------------------------------------------------------------


def test_M9_a_content_hash_that_misses_is_409(store):
    store.put("/a.md", "now").ok()

    for missed in (
        store.put("/a.md", "new", over="before"),
        store.put("/a.md", "new"),
        store.put("/b.md", "new", over="now"),
        store.delete("/a.md", over="before"),
        store.delete("/b.md", over="now"),
        store.change(put_operation("/a.md", "new", over="before")),
        store.change(put_operation("/a.md", "new")),
        store.change(delete_operation("/b.md", over="now")),
    ):
        assert (missed.status, missed.error) == (409, "memory.conflict")
    assert store.read("/a.md").ok()["content"] == "now"


def test_M9_an_integer_version_that_misses_is_409(store):
    store.patch(name="N").ok()

    missed = store.patch(version=1, name="M")

    assert (missed.status, missed.error) == (409, "memory.conflict")
    assert "2" in missed.message
    assert store.get().ok()["name"] == "N"
    assert store.patch(version=2**53, name="M").status == 409


def test_M9_a_version_id_that_misses_is_409(store):
    for base in (random_id("version"), _other_stores_version(store)):
        missed = store.change(put_operation("/a.md", "text"), base=base)

        assert (missed.status, missed.error) == (409, "memory.conflict")


def _other_stores_version(store):
    created = store.api.post(
        "/v1/memory-stores", {"name": "Other", "owner": store.get().ok()["owner"]}
    ).ok(201)
    return created["canonical_version"]


def test_M9_the_three_do_not_stand_in_for_each_other(store):
    store.put("/a.md", "text").ok()

    assert store.patch(version=store.canonical, name="N").status == 400
    assert store.change(put_operation("/b", ""), base=hash_of("text")).status == 400
    by_version = store.api.put(
        store.url("document") + "?path=/a.md", {"content": "x"}, If_Match=f'"{store.canonical}"'
    )
    assert by_version.status == 400
