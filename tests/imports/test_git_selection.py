"""Contract I2, M2: what of a git history a store cannot hold, and what becomes of it."""

from pygit2.enums import FileMode

from memory.git.selection import Reason
from memory.queries.versions import changed_paths
from tests.gitrepos import link, submodule
from tests.imports.stored import versions_of


def test_what_a_store_cannot_hold(repo, import_repo):
    long_path = "/".join(["d"] * 33)
    repo.commit(
        {
            "kept.md": "1",
            "nul": b"a\0b",
            "latin": b"caf\xe9",
            "long": "x" * 102_401,
            "link": link("kept.md"),
            "module": submodule(),
            long_path: "1",
            "back\\slash": "1",
            "bell\a": "1",
            "cafe\u0301": "not normalized",
            b"caf\xe9": "not UTF-8",
            "s" * 256: "1",
        }
    )
    imported, selection = import_repo()
    assert imported.canonical.document_count == 1
    assert selection.left == set()
    assert selection.skipped == {
        Reason.BINARY: {"/nul", "/latin"},
        Reason.TOO_LONG: {"/long"},
        Reason.LINK: {"/link"},
        Reason.SUBMODULE: {"/module"},
        Reason.BAD_PATH: {
            f"/{long_path}",
            "/back\\slash",
            "/bell\a",
            "/cafe\u0301",
            "/caf\\xe9",
            "/" + "s" * 256,
        },
    }


def test_documents_leave_when_they_become_something_else(repo, import_repo):
    repo.commit({"a": "1", "b": "1", "c": "1", "d": "1", "e": "1"})
    repo.commit({"a": b"\0", "b": link("a"), "c": submodule(), "d": "x" * 102_401, "e": "1"})
    repo.commit({"a": "2", "b": link("a"), "c": submodule(), "d": "x" * 102_401})
    imported, selection = import_repo()
    _, second, third = versions_of(imported.store_id)
    assert selection.left == {"/a", "/b", "/c", "/d"}
    assert changed_paths(second.id) == ["/a", "/b", "/c", "/d"]
    assert second.document_count == 1
    assert changed_paths(third.id) == ["/a", "/e"]


def test_the_limit_of_documents(repo, import_repo, settings):
    settings.MAX_DOCUMENTS = 3
    repo.commit({"a": "1", "b": "1", "c": "1", "d": "1", "e": "1"})
    repo.commit({"b": "1", "c": "1", "d": "1", "e": "2"})
    imported, selection = import_repo()
    assert selection.skipped == {Reason.TOO_MANY: {"/d", "/e"}}
    assert changed_paths(imported.canonical.id) == ["/a", "/e"]


def test_a_tree_with_a_file_and_a_folder_of_one_name(repo, import_repo):
    """Git writes no such tree, and stores those that something else wrote."""
    folder = repo.tree({"b": "below"})
    both = [(b"a", FileMode.BLOB, repo.blob("file")), (b"a", FileMode.TREE, folder)]
    repo.commit_tree(repo.raw_tree(both))
    imported, selection = import_repo()
    assert selection.skipped == {Reason.CLASH: {"/a/b"}}
    assert changed_paths(imported.canonical.id) == ["/a"]
