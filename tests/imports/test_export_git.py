"""`manage.py export_git`: blobs and trees agree with the store's at each version (contract I2)."""

import subprocess
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.access import open_store
from memory.actions.git_imports import import_store
from memory.actions.redactions import redact
from memory.actions.stores import Owner, StoreSettings
from memory.git.conversion import next_versions
from memory.git.history import History
from memory.git.repository import find_commit, open_repository
from memory.git.selection import Selection
from memory.models import OwnerKind
from tests.factories import platform
from tests.imports.git import first_parents, storable_tree
from tests.imports.stored import stored_tree, versions_of
from tests.stores import StoreClient, delete_operation, personal_store, put_operation

pytestmark = pytest.mark.django_db


@pytest.fixture
def store(workspace) -> StoreClient:
    """A store with what git might mangle."""
    store = personal_store(workspace)
    store.put("/a.md", "one\r\ntwo").ok()
    store.change(
        put_operation("/caf\u00e9/\u65e5\u672c.md", "\ufeffmark\n"),
        put_operation("/with space/(a) #1.txt", ""),
        message="Words\n\nand more",
    ).ok()
    store.change(
        delete_operation("/a.md", over="one\r\ntwo"), put_operation("/a.md/below", "a folder now")
    ).ok()
    store.change(
        delete_operation("/a.md/below", over="a folder now"), put_operation("/a.md", "back")
    ).ok()
    return store


def export(store: StoreClient, directory: Path, *arguments: str) -> list[str]:
    """The lines that the command prints."""
    out = StringIO()
    call_command("export_git", store.id, str(directory), *arguments, stdout=out)
    return out.getvalue().splitlines()


def git(directory: Path, *arguments: str) -> str:
    command = ["git", "-C", str(directory), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_each_version_is_a_commit_with_its_tree(store, tmp_path):
    lines = export(store, tmp_path / "out")

    assert lines[0] == "Exported 5 versions as commits of the branch main."
    assert lines[-1] == str(tmp_path / "out")
    commits = first_parents(tmp_path / "out")
    versions = versions_of(store.id)
    assert len(commits) == len(versions)
    for commit, version in zip(commits, versions, strict=True):
        assert storable_tree(tmp_path / "out", commit) == stored_tree(version)
        assert (
            git(tmp_path / "out", "log", "-1", "--format=%B", commit)
            .strip()
            .endswith(f"Checkfu-Version: {version.id}")
        )
    assert git(tmp_path / "out", "log", "-1", "--format=%s", commits[2]) == "Words\n"
    git(tmp_path / "out", "fsck", "--strict")


def test_the_same_store_is_the_same_commits(store, tmp_path):
    export(store, tmp_path / "one")
    (tmp_path / "two").mkdir()
    export(store, tmp_path / "two")
    assert first_parents(tmp_path / "one") == first_parents(tmp_path / "two")
    who = git(tmp_path / "one", "log", "-1", "--format=%an <%ae> %ad %cn", "--date=iso")
    assert "akey_" in who
    assert "@checkfu.invalid" in who
    assert "+0000" in who


def test_back_again(store, tmp_path, workspace):
    """I2: what was exported is imported with the same trees; the empty beginning falls away."""
    export(store, tmp_path / "out")
    opened = open_repository(tmp_path / "out")
    imported = import_store(
        caller=platform(workspace),
        settings=StoreSettings("Back", Owner(OwnerKind.WORKSPACE, workspace.id)),
        versions=next_versions(History(opened, find_commit(opened, "main")), Selection(opened, 99)),
    )
    assert [version.tree_hash for version in versions_of(imported.store_id)] == [
        version.tree_hash for version in versions_of(store.id)[1:]
    ]


def test_erased_texts_are_refused_or_left_out(store, tmp_path, workspace):
    redact(access=open_store(platform(workspace), store.id), paths=["/with space/(a) #1.txt"])
    with pytest.raises(CommandError) as refused:
        export(store, tmp_path / "out")
    assert "/with space/(a) #1.txt" in str(refused.value)
    assert list(tmp_path.iterdir()) == []

    lines = export(store, tmp_path / "out", "--skip-erased")
    assert lines[1] == "Left out, since their texts were erased: /with space/(a) #1.txt."
    commits = first_parents(tmp_path / "out")
    assert "/with space/(a) #1.txt" not in storable_tree(tmp_path / "out", commits[2])
    assert "/a.md" in storable_tree(tmp_path / "out", commits[-1])


def test_media_types_that_git_does_not_keep_are_told(store, tmp_path):
    store.put("/data", "{}", media_type="application/json").ok()
    assert "/data." in export(store, tmp_path / "out")[1]


def test_paths_that_git_refuses_are_named(store, tmp_path):
    store.put("/.git/config", "text").ok()
    with pytest.raises(CommandError, match=r"Git holds no such paths: /\.git/config"):
        export(store, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_empty_is_left_alone(store, tmp_path):
    (tmp_path / "file").write_text("words")
    for taken in (tmp_path, tmp_path / "file"):
        with pytest.raises(CommandError, match="is there already"):
            export(store, taken)
    with pytest.raises(CommandError, match="No such file"):
        export(store, tmp_path / "none" / "out")


def test_what_is_erased_meanwhile_is_not_handed_out(store, tmp_path, workspace, monkeypatch):
    """R5: the last look before the repository appears."""

    def close_and_erase(writer: Any) -> None:
        original(writer)
        redact(access=open_store(platform(workspace), store.id), paths=["/a.md"])

    from memory.git.exporting import Writer

    original = Writer.close
    monkeypatch.setattr(Writer, "close", close_and_erase)
    with pytest.raises(CommandError, match="was erased during the export"):
        export(store, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
