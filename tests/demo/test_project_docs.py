"""Where the demo's documentation comes from: git where it can, the files where it must."""

import pytest

from memory.models import MemoryStore, MemoryVersion
from memory.queries.documents import read_document
from tests.gitrepos import GitRepo


@pytest.fixture
def files(tmp_path, settings):
    """A release unpacked from an archive: files, and no git."""
    root = tmp_path / "unpacked"
    (root / "docs" / "adr").mkdir(parents=True)
    (root / "docs" / "glossary.md").write_text("# Glossary\r\n")
    (root / "docs" / "adr" / "0001.md").write_text("# 1\n")
    (root / "docs" / "logo.png").write_bytes(b"\x89PNG\0")
    (root / "docs" / "long.txt").write_text("x" * 102_401)
    return root


def imported() -> tuple[MemoryStore, list[MemoryVersion]]:
    store = MemoryStore.objects.get(name="project-docs")
    versions = MemoryVersion.objects.filter(store=store, kind="import").order_by("depth")
    return store, list(versions)


def test_from_history(load):
    load()
    _, versions = imported()
    assert [version.note.message for version in versions] == ["Begin", "Add words"]


def test_from_files(load, files, settings):
    settings.BASE_DIR = files
    load()
    store, [version] = imported()
    assert version.document_count == 2
    assert version.note.source_id is None
    assert read_document(store.id, "/glossary.md").text == "# Glossary\r\n"
    assert read_document(store.id, "/adr/0001.md").text == "# 1\n"


def test_from_files_that_were_never_committed(load, files, settings):
    settings.BASE_DIR = files
    GitRepo(files / ".git").commit({"README.md": "No docs yet"})
    load()
    assert [version.note.source_id for version in imported()[1]] == [None]


def test_from_files_when_the_history_is_damaged(load, files, settings):
    settings.BASE_DIR = files
    repo = GitRepo(files / ".git")
    repo.commit({"docs/glossary.md": "one"})
    missing = str(repo.blob("two"))
    repo.commit({"docs/glossary.md": "two"})
    (repo.path / "objects" / missing[:2] / missing[2:]).unlink()
    load()
    assert [version.note.source_id for version in imported()[1]] == [None]
