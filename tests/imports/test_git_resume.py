"""Contract I2, C3: an import of a git history goes on where it ended."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.access import open_store
from memory.actions.redactions import redact
from memory.actions.stores import StoreChanges, change_store
from memory.management.commands.verify import verify_store
from memory.models import CanonicalWrites, MemoryVersion, RetentionPolicy
from memory.queries.versions import canonical_id
from proposals.models import Proposal
from tests.factories import caller_for, grant, make_admin_key, make_store, platform
from tests.imports.stored import stored_tree, versions_of
from tests.imports.test_git_trees import assert_agrees_with_git
from tests.stores import StoreClient, as_person

pytestmark = pytest.mark.django_db


@pytest.fixture
def store_id(repo, import_repo) -> str:
    """A store of two commits."""
    repo.commit({"a.md": "one\r\n", "b": "no newline", "caf\u00e9/\u65e5.md": "x"}, "Begin")
    repo.commit({"a.md": "two\r\n", "b": "no newline", "caf\u00e9/\u65e5.md": "x"}, "Change")
    imported, _ = import_repo()
    return str(imported.store_id)


def resume(repo: Any, store_id: str, *arguments: str) -> list[str]:
    """The lines that the command prints."""
    out = StringIO()
    call_command("import_git", str(repo.path), "--resume", store_id, *arguments, stdout=out)
    return out.getvalue().splitlines()


def refusal(repo: Any, store_id: str, *arguments: str) -> str:
    """The sentence that the command refuses with; no version may come of it."""
    before = MemoryVersion.objects.count()
    with pytest.raises(CommandError) as refused:
        resume(repo, store_id, *arguments)
    assert MemoryVersion.objects.count() == before
    return str(refused.value)


def test_new_commits_become_versions_and_canonical_follows(repo, store_id):
    repo.commit({"b": "renamed later", "caf\u00e9/\u65e5.md": "x\r\ny"}, "Delete a")
    repo.commit({"c": "renamed later", "caf\u00e9/\u65e5.md": "x\r\ny", "logo": b"\0"}, "Rename")
    lines = resume(repo, store_id)

    assert lines[0] == "Imported 2 new commits as 2 versions; the last holds 2 documents."
    assert lines[-1] == store_id
    assert "not text" in lines[2]
    versions = versions_of(store_id)
    assert len(versions) == 4
    assert canonical_id(store_id) == versions[-1].id
    assert [version.parent_id for version in versions[1:]] == [one.id for one in versions[:-1]]
    assert_agrees_with_git(repo, store_id)
    assert verify_store(store_id).found == {}


def test_it_goes_on_again_and_again(repo, store_id):
    for number in range(3):
        repo.commit({"a.md": f"edition {number}"})
        resume(repo, store_id)
    assert len(versions_of(store_id)) == 5
    assert_agrees_with_git(repo, store_id)


def test_nothing_new(repo, store_id):
    before = canonical_id(store_id)
    assert resume(repo, store_id)[0] == "0 new commits, and nothing new for the store."
    repo.commit({"a.md": "two\r\n", "b": "no newline", "caf\u00e9/\u65e5.md": "x", "c": b"\0"})
    assert resume(repo, store_id)[0] == "1 new commit, and nothing new for the store."
    assert canonical_id(store_id) == before


def test_a_rewritten_history_is_refused(repo, store_id):
    last = str(versions_of(store_id)[-1].note.source_id)
    repo.commit({"a.md": "other"}, "Another root", parents=())
    sentence = refusal(repo, store_id)
    assert sentence.startswith("The history was rewritten, or this is another repository")
    assert last in sentence


def test_another_folder_is_refused(repo, store_id):
    repo.commit({"a.md": "three", "docs/a.md": "one"})
    sentence = refusal(repo, store_id, "--path", "docs")
    assert "does not agree with its commit at /a.md, /b, /caf\u00e9/\u65e5.md" in sentence


def test_a_folder_goes_on_as_it_began(repo, import_repo):
    repo.commit({"docs/a.md": "one", "b": "1"})
    imported, _ = import_repo("docs")
    repo.commit({"docs/a.md": "two", "b": "2"})
    resume(repo, imported.store_id, "--path", "docs")
    assert stored_tree(versions_of(imported.store_id)[-1]) == {"/a.md": b"two"}


def test_canonical_that_moved_on_gets_a_proposal(repo, store_id, workspace):
    """C3: canonical moves only while it is still the last imported version."""
    store = _writable(workspace, store_id)
    store.put("/own.md", "written here").ok()
    moved = canonical_id(store_id)
    repo.commit({"a.md": "three"}, "Three")
    lines = resume(repo, store_id)

    proposal = Proposal.objects.get()
    assert lines[1].endswith(f"{proposal.id}.")
    assert canonical_id(store_id) == moved
    imported = [version for version in versions_of(store_id) if version.kind == "import"]
    assert (proposal.base_id, proposal.head_id) == (imported[-2].id, imported[-1].id)
    assert (proposal.author_kind, proposal.author_operation) == ("platform", "import")
    assert verify_store(store_id).found == {}
    assert proposal.author_principal_uuid is None


def _writable(workspace: Any, store_id: str) -> StoreClient:
    """The store, open for direct writes of a new person."""
    admin = make_admin_key(workspace)[0]
    grant(admin, store_id, "read", "admin")
    access = open_store(caller_for(admin), store_id)
    changes = StoreChanges(canonical_writes=CanonicalWrites.DIRECT)
    change_store(access=access, version=access.store.version, changes=changes)
    return as_person(workspace, store_id, "read", "write")


def test_redacted_paths_are_passed_over(repo, store_id, workspace):
    """X1: what git says of them later never comes in."""
    redact(access=open_store(platform(workspace), store_id), paths=["/b", "/soon.md"])
    repo.commit({"a.md": "three", "b": "again", "soon.md": "new"})
    lines = resume(repo, store_id)

    assert any("redacted from the store for ever: /b, /soon.md" in line for line in lines)
    proposal = Proposal.objects.get()
    assert proposal.changed_path_count == 2
    assert verify_store(store_id).found == {}


def test_zero_data_retention_refuses(repo, store_id, workspace):
    RetentionPolicy.objects.create(
        workspace=workspace, zero_data_retention=True, updated_at="2026-01-01T00:00Z"
    )
    repo.commit({"a.md": "three"})
    assert "zero data retention" in refusal(repo, store_id)


def test_what_cannot_be_resumed(repo, workspace, store_id):
    assert "was not imported from git" in refusal(repo, make_store(workspace))
    assert "There is no such memory store" in refusal(repo, "memstore_" + "0" * 32)
    assert "malformed" in refusal(repo, "nonsense")
    assert "leave --workspace and --name out" in refusal(repo, store_id, "--name", "x")
    with pytest.raises(CommandError, match="needs --workspace and --name"):
        call_command("import_git", str(repo.path), stdout=StringIO())


def test_an_import_of_nothing_says_what_was_left_out(repo, workspace):
    repo.commit({"logo": b"\0", "latin": b"caf\xe9"})
    with pytest.raises(CommandError) as refused:
        call_command(
            *("import_git", str(repo.path), "--workspace", workspace.name, "--name", "x"),
            stdout=StringIO(),
        )
    assert str(refused.value) == (
        "There is no document to import. Left out, since a store cannot hold them:"
        " not text (NUL, or not UTF-8): /latin, /logo."
    )
