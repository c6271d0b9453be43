"""Contract M3, I2: what an import says of its versions, and what it leaves behind when it fails."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils.timezone import now

from memory.actors import IMPORTER
from memory.git.repository import RepositoryError
from memory.models import (
    ActorKind,
    DocumentBody,
    Lifecycle,
    MemoryStore,
    MemoryVersion,
    Ref,
    RefMove,
    TreePage,
    VersionKind,
)
from memory.queries.versions import canonical_id, changed_paths, path_history
from memory.refs import CANONICAL, current
from memory.versions.ancestry import is_ancestor
from memory.versions.sealing import Put, draft, seal
from tenancy.models import AuditEntry
from tests.imports.stored import versions_of
from wire.errors import Malformed


def test_versions_keep_what_the_commit_claims(repo, import_repo):
    first = repo.commit({"a.md": "1", "b": "1"}, "Begin\n\nWith a body.\n", time=1_000_000_000)
    repo.commit({"a.md": "2", "b": "1"}, b"caf\xe9 is not UTF-8", time=-5)
    before = now()
    imported, _ = import_repo()
    begin, change = versions_of(imported.store_id)
    assert (begin.kind, begin.actor_kind) == (VersionKind.IMPORT, ActorKind.PLATFORM)
    assert (begin.actor_operation, begin.actor_uuid) == ("import", None)
    assert begin.note.message == "Begin\n\nWith a body.\n"
    assert begin.note.source_id == first
    assert begin.note.source_time == datetime(2001, 9, 9, 1, 46, 40, tzinfo=UTC)
    assert abs(begin.created_at - before) < timedelta(minutes=1)
    assert [version.parent_id for version in (begin, change)] == [None, begin.id]
    assert change.note.message == "caf\ufffd is not UTF-8"
    assert change.note.source_time == datetime(1969, 12, 31, 23, 59, 55, tzinfo=UTC)
    assert changed_paths(begin.id) == ["/a.md", "/b"]
    assert changed_paths(change.id) == ["/a.md"]


@pytest.mark.parametrize(
    ("headers", "message", "kept"),
    [
        (b"encoding ISO-8859-1\n", b"caf\xe9", "caf\u00e9"),
        (b"encoding martian\n", b"caf\xe9", "caf\ufffd"),
        (b"", b"", None),
        (b"", b"x" * 10_000, "x" * 10_000),
    ],
)
def test_messages(repo, import_repo, headers, message, kept):
    repo.commit_tree(repo.tree({"a": "1"}), message, headers=headers)
    imported, _ = import_repo()
    assert versions_of(imported.store_id)[0].note.message == kept


def test_a_time_no_calendar_has_is_left_out(repo, import_repo):
    repo.commit({"a": "1"}, time=99_999_999_999_999)
    imported, _ = import_repo()
    assert versions_of(imported.store_id)[0].note.source_time is None


def test_the_store_begins_with_its_first_imported_version(repo, import_repo):
    repo.commit({"a": "1"})
    repo.commit({"a": "2"})
    imported, _ = import_repo()
    store = MemoryStore.objects.get(id=imported.store_id)
    versions = versions_of(store.id)
    assert store.lifecycle == Lifecycle.ACTIVE
    assert store.canonical_writes == "review"
    assert canonical_id(store.id) == imported.canonical.id == versions[-1].id
    move = RefMove.objects.get(store=store.id)
    assert [move.before_id, move.after_id] == [None, versions[-1].id]
    assert move.actor_kind == ActorKind.PLATFORM
    audit = AuditEntry.objects.get(event="store.imported")
    assert audit.detail["versions"] == 2
    assert audit.target_id == store.id


def test_two_imports_make_two_stores(repo, import_repo):
    repo.commit({"a": "1"})
    assert import_repo()[0].store_id != import_repo()[0].store_id


def test_a_long_line_of_versions_goes_on(repo, import_repo):
    """Ancestry, path history and further writes work as if each had been sealed alone."""
    for number in range(40):
        repo.commit({"a": str(number // 10), "b": str(number)})
    imported, _ = import_repo()
    versions = versions_of(imported.store_id)
    assert all(is_ancestor(versions[0].id, version.id) for version in versions)
    assert not is_ancestor(versions[-1].id, versions[0].id)
    history = path_history(imported.store_id, "/a", versions[-1].id, limit=50)
    assert [change.version_id for change in history] == [
        versions[number].id for number in (30, 20, 10, 0)
    ]
    sealed = seal(
        store_id=imported.store_id,
        draft=draft(current(imported.store_id, CANONICAL), {"/c": Put("new")}),
        kind=VersionKind.IMPORT,
        actor=IMPORTER,
    )
    assert sealed.document_count == 3
    assert is_ancestor(versions[5].id, sealed.id)


@pytest.mark.django_db(transaction=True)
def test_a_failure_midway_leaves_nothing(repo, import_repo, monkeypatch):
    """A blob is missing, as in a partial clone; some versions were stored before it."""
    monkeypatch.setattr("memory.versions.chains.FULL_ROWS", 1)
    repo.commit({"a": "1"})
    repo.commit({"a": "2"})
    missing = str(repo.blob("3"))
    repo.commit({"a": "3"})
    (repo.path / "objects" / missing[:2] / missing[2:]).unlink()
    with pytest.raises(RepositoryError, match="damaged or incomplete"):
        import_repo()
    for model in (MemoryStore, MemoryVersion, DocumentBody, TreePage, Ref):
        assert not model.objects.exists(), model
    assert not AuditEntry.objects.filter(target_kind="store").exists()


@pytest.mark.parametrize("prefix", ["", "nowhere"])
def test_nothing_to_import(repo, import_repo, prefix):
    repo.commit({"a": b"\0"})
    with pytest.raises(Malformed, match="no document"):
        import_repo(prefix)
