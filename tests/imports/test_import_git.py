"""`manage.py import_git`: what it prints, and how it refuses (contract I2)."""

import os
import subprocess
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memory.access import open_store
from memory.management.commands.import_git import Command
from memory.models import MemoryStore
from memory.queries.documents import read_document
from tenancy.models import Permission
from tests.factories import caller_for, grant, make_agent, make_person
from tests.gitrepos import GitRepo, link


@pytest.fixture
def filled(repo: GitRepo) -> GitRepo:
    """A repository of two commits."""
    repo.commit({"docs/a.md": "one", "docs/b.md": "one"}, "Begin")
    repo.commit({"docs/a.md": "two", "docs/b.md": "one", "logo": b"\0"}, "Change")
    return repo


def run(repository, workspace, *arguments, name="Imported") -> list[str]:
    """The lines that the command prints; nothing may come on standard error."""
    out, err = StringIO(), StringIO()
    fixed = ["--workspace", workspace.name, "--name", name]
    call_command("import_git", str(repository), *fixed, *arguments, stdout=out, stderr=err)
    assert err.getvalue() == ""
    return out.getvalue().splitlines()


def refusal(repository, workspace, *arguments, **more) -> str:
    """The sentence that the command refuses with; no store may come of it."""
    with pytest.raises(CommandError) as refused:
        run(repository, workspace, *arguments, **more)
    assert not MemoryStore.objects.exists()
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_the_last_line_is_the_store(filled, workspace):
    lines = run(filled.path, workspace)
    store = MemoryStore.objects.get(id=lines[-1])
    assert (store.name, store.owner_id) == ("Imported", workspace.id)
    assert lines[0] == "Imported 2 commits as 2 versions; canonical holds 2 documents."
    assert lines[1].startswith("Left out, since a store cannot hold them")
    assert lines[2] == "      1  not text (NUL, or not UTF-8): /logo"
    assert f"manage.py grant --workspace {workspace.name} " in lines[-2]
    assert f"--target {store.id} --permissions read" in lines[-2]


def test_the_operator_gets_no_grant(filled, workspace):
    """Importing opens the store to nobody; a grant, as the hint has it, does."""
    store = MemoryStore.objects.get(id=run(filled.path, workspace, "--path", "docs")[-1])
    person = make_person(workspace)
    assert not store.workspace.assignments.exists()
    grant(person, store, "read")
    access = open_store(caller_for(person), store.id)
    access.require_content()
    assert read_document(store.id, "/a.md").text == "two"


@pytest.mark.parametrize("ref", ["main", "refs/heads/main", "HEAD", "v1", "main~1"])
def test_refs(filled, workspace, ref):
    filled.git.create_reference("refs/tags/v1", filled.git.revparse_single("main").id)
    assert run(filled.path, workspace, "--ref", ref)


@pytest.mark.parametrize("path", ["docs", "docs/", "/docs", "./docs"])
def test_spellings_of_the_folder(filled, workspace, path):
    assert run(filled.path, workspace, "--path", path)[0].endswith("canonical holds 2 documents.")


def test_owners(filled, workspace):
    person, agent = make_person(workspace), make_agent(workspace)
    lines = run(filled.path, workspace, "--owner", f"principal:{person.id}")
    access = open_store(caller_for(person), lines[-1])
    assert lines[-2].startswith("Only its owner has a grant")
    assert access.may(Permission.WRITE)
    assert access.store.canonical_writes is None
    lines = run(filled.path, workspace, "--owner", f"agent_definition:{agent.id}")
    store = MemoryStore.objects.get(id=lines[-1])
    assert (store.owner_id, store.canonical_writes) == (agent.id, "review")


def test_documents_that_leave_are_told(repo, workspace):
    repo.commit({"keep": "1", **{f"{number}.md": "text" for number in range(5)}})
    repo.commit({"keep": "1", **{f"{number}.md": link("keep") for number in range(5)}})
    lines = run(repo.path, workspace)
    assert lines[2] == "      5  symbolic link: /0.md, /1.md, /2.md and 2 more"
    assert (
        lines[3] == "5 documents left the store for such a reason: /0.md, /1.md, /2.md and 2 more"
    )


def test_paths_cannot_steer_the_terminal(repo, workspace):
    repo.commit({"a": "1", "\x1b[2J\u202egnp": "2"})
    assert "not the path of a document: /\\x1b[2J\\u202egnp" in run(repo.path, workspace)[2]


def test_a_shallow_clone_is_told(filled, workspace, tmp_path):
    clone = tmp_path / "shallow"
    url = filled.path.as_uri()
    command = ["git", "clone", "-q", "--bare", "--depth=1", "-b", "main", url, clone]
    subprocess.run(command, check=True, capture_output=True)
    lines = run(clone, workspace)
    assert lines[0].startswith("Imported 1 commit as 1 version;")
    assert "shallow clone" in lines[1]


def test_a_working_tree_and_its_subfolder(filled, workspace, tmp_path):
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", filled.path, clone], check=True, capture_output=True)
    assert run(clone, workspace, name="One")
    with pytest.raises(CommandError, match="is not a git repository"):
        run(clone / "docs", workspace)  # the folders above are not searched


def test_refused_repositories(filled, workspace, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("words")
    assert "There is nothing at" in refusal(tmp_path / "none", workspace)
    assert "There is nothing at" in refusal("https://git.example.org/a.git", workspace)
    assert "is not a git repository" in refusal(tmp_path / "folder", workspace)
    assert "is a file, not a git repository" in refusal(tmp_path / "file", workspace)
    assert "cannot be read: File name too long." in refusal(tmp_path / ("x" * 300), workspace)


def test_a_bundle_is_to_be_cloned_first(filled, workspace, tmp_path):
    bundle = tmp_path / "all.bundle"
    command = ["git", "-C", filled.path, "bundle", "create", "-q", bundle, "main"]
    subprocess.run(command, check=True, capture_output=True)
    assert f"git clone {bundle} FOLDER" in refusal(bundle, workspace)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_somebody_elses_repository(filled, workspace):
    for path in (filled.path, *filled.path.rglob("*")):
        os.chown(path, 12_345, 12_345)
    sentence = refusal(filled.path, workspace)
    assert "belongs to another user" in sentence
    assert f"safe.directory {filled.path}" in sentence


def test_a_repository_without_commits(repo, workspace):
    assert refusal(repo.path, workspace) == "The repository has no commit on its HEAD yet."


@pytest.mark.parametrize("ref", ["nowhere", "", "a b", "main..main", "main:docs", "0" * 40])
def test_refused_refs(filled, workspace, ref):
    assert refusal(filled.path, workspace, "--ref", ref) == (
        f"The repository has no commit called {ref}."
    )


@pytest.mark.parametrize("path", ["", "/", "."])
def test_a_path_must_name_a_folder(filled, workspace, path):
    assert "--path names no folder" in refusal(filled.path, workspace, "--path", path)


@pytest.mark.parametrize("path", ["nowhere", "docs/a.md", "../docs", "\udcff"])
def test_nothing_below_the_path(filled, workspace, path):
    assert refusal(filled.path, workspace, "--path", path) == "There is no document to import."


@pytest.mark.parametrize(
    ("owner", "sentence"),
    [
        ("session:sess_" + "0" * 32, "--owner is workspace, principal:ID"),
        ("principal", "--owner: expected prin_"),
        ("principal:agent_" + "0" * 32, "--owner: expected prin_"),
        ("principal:prin_" + "0" * 32, "there is no principal prin_"),
    ],
)
def test_refused_owners(filled, workspace, owner, sentence):
    assert sentence in refusal(filled.path, workspace, "--owner", owner)


@pytest.mark.parametrize("name", ["", " padded ", "two\nlines", "x" * 201])
def test_refused_names(filled, workspace, name):
    assert refusal(filled.path, workspace, name=name).startswith("name: ")


@pytest.mark.django_db
def test_as_a_program(filled, capsys):
    """An unknown Workspace: one sentence, exit status 1, no traceback."""
    command = ["manage.py", "import_git", str(filled.path), "--workspace", "none", "--name", "x"]
    with pytest.raises(SystemExit) as ended:
        Command().run_from_argv(command)
    assert ended.value.code == 1
    assert capsys.readouterr().err == "Refused: There is no Workspace none.\n"


def test_interrupted(filled, workspace, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("memory.git.selection.Selection.select", interrupt)
    assert refusal(filled.path, workspace) == "Interrupted; nothing was imported."
