"""Contract I2: the tree of each version is git's tree at its commit, paths and bytes."""

import random

import pytest

from memory.models import MemoryVersion, VersionKind
from tests.gitrepos import GitRepo, executable, link, submodule
from tests.imports.git import first_parents, storable_tree
from tests.imports.stored import stored_tree, versions_of


def assert_agrees_with_git(repo: GitRepo, store_id: str, prefix: str = "") -> None:
    versions = versions_of(store_id)
    by_commit = {version.note.source_id: version for version in versions}
    current: dict[str, bytes] = {}
    parents = [None, *(version.id for version in versions)]
    for commit in first_parents(repo.path):
        expected = storable_tree(repo.path, commit, prefix)
        version = by_commit.get(commit)
        if version is None:
            assert expected == current, commit
            continue
        assert version.parent_id == parents[version.depth]
        assert expected != current, commit
        assert stored_tree(version) == expected, commit
        current = expected
    assert by_commit.keys() <= set(first_parents(repo.path))


HISTORIES = {
    "bytes are kept": [
        {"a.md": "one\r\ntwo\r\n", "b.txt": "no end", "c": "", "d": b"\xef\xbb\xbfmark\n"},
        {"a.md": "one\ntwo\r\n", "b.txt": "no end\n", "c": "\n", "d": "mark\n"},
        {"a.md": "one\rtwo\u2028\x0b\x1b[31m\n", "b.txt": "\n\n\n", "c": " ", "d": "mark\n"},
    ],
    "names are kept": [
        {"na\u00efve/\u4e2d\u6587.md": "1", "with space/(a) #1 & more%20.txt": "2", "...": "3"},
        {"na\u00efve/\u4e2d\u6587.md": "1", "\U0001f600/.hidden": "4", "a/b/c/d/e/f": "5"},
    ],
    "renames and deletions": [
        {"a": "1", "b": "2", "dir/c": "3"},
        {"a2": "1", "b": "2", "dir/c": "3"},
        {"a2": "1", "dir/c": "3"},
        {"a2": "1", "dir2/c": "3"},
        {"a2": "3", "dir2/c": "1"},
    ],
    "all gone, and back": [{"a": "1"}, {}, {"b": "2"}],
    "files become folders and back": [
        {"a": "1", "b/c": "2", "b/d/e": "3"},
        {"a/x": "1", "b": "2"},
        {"a": "1", "b/c": "2", "b/d": "4"},
    ],
    "modes alone change nothing": [
        {"a": "1", "b": "2"},
        {"a": executable("1"), "b": "2"},
        {"a": "1", "b": executable("2")},
        {"a": executable("3"), "b": "2"},
    ],
    "what a store cannot hold": [
        {"a": "1", "b": b"\x89PNG\0", "c": b"caf\xe9", "l": link("a"), "m": submodule()},
        {"a": b"\0", "b": "text", "c": "caf\u00e9", "l": "text", "m": "text", "n": "x" * 102_401},
        {"a": link("b"), "b": submodule(), "c": b"\xff", "l": link("b"), "n": "x" * 102_400},
        {"a": "1", "b/c": "text", "l": executable("a"), "n": "\u00e9" * 51_201},
    ],
    "commits that change no text": [
        {"a": b"\0"},
        {"a": b"\0", "b": "1"},
        {"a": b"\1\0", "b": "1"},
        {"b": "1"},
    ],
}


@pytest.mark.parametrize("trees", HISTORIES.values(), ids=HISTORIES.keys())
def test_each_version_is_gits_tree(repo, import_repo, trees):
    for tree in trees:
        repo.commit(tree)
    imported, _ = import_repo()
    assert_agrees_with_git(repo, imported.store_id)


def test_prefix(repo, import_repo):
    repo.commit({"README": "not below"})
    repo.commit({"README": "not below", "docs/en/a.md": "1", "docs/en-gb/b.md": "2", "docs/c": "3"})
    repo.commit({"README": "changed", "docs/en/a.md": "1", "docs/c": "4"})
    repo.commit({"docs/en/a.md": "2", "docs/en/sub/d.md": "5"})
    repo.commit({"docs/en": "a file now"})
    repo.commit({"docs/en/a.md": "and a folder again"})
    imported, _ = import_repo("docs/en")
    assert_agrees_with_git(repo, imported.store_id, "docs/en")
    assert imported.versions == 4


def test_merges_follow_the_first_parent(repo, import_repo):
    base = repo.commit({"a": "1"})
    ours = repo.commit({"a": "1", "b": "1"}, parents=[base])
    theirs = repo.commit({"a": "1", "c": "1"}, parents=[base], branch="side")
    theirs = repo.commit({"a": "1", "c": "2"}, parents=[theirs], branch="side")
    repo.commit({"a": "1", "b": "1", "c": "2"}, "Merge", parents=[ours, theirs])
    repo.commit({"a": "1", "b": "1", "c": "2", "d": "1"})
    imported, _ = import_repo()
    assert imported.versions == 4
    assert_agrees_with_git(repo, imported.store_id)


@pytest.mark.parametrize("seed", range(2))
def test_random_histories(repo, import_repo, settings, monkeypatch, seed):
    """Many documents over many pages, stored a few rows at a time."""
    monkeypatch.setattr("memory.versions.chains.FULL_ROWS", 50)
    monkeypatch.setattr("memory.trees.keeping.RESERVED_AT_ONCE", 3)
    chance = random.Random(seed)
    tree = {}
    for _ in range(40):
        for _ in range(chance.randrange(12)):
            path = f"d{chance.randrange(20)}/{chance.randrange(30)}.md"
            tree[path] = chance.choice(["text", f"{chance.random()}\n", b"\0", link("x")])
        for path in chance.sample(sorted(tree), min(len(tree), chance.randrange(4))):
            del tree[path]
        repo.commit(dict(tree))
    imported, _ = import_repo()
    assert_agrees_with_git(repo, imported.store_id)
    kinds = MemoryVersion.objects.filter(store=imported.store_id).values_list("kind", flat=True)
    assert set(kinds) == {VersionKind.IMPORT}
