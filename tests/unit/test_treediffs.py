"""Contract R3: what happened to each path between two trees."""

from collections.abc import Iterable
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from memory.trees.diffs import PathChange, Status, by_path, classify, hashed_changes
from memory.trees.editing import TreeEntry
from memory.trees.hashing import Change, Content, content_sha256, diff_hash

PATHS = st.sampled_from([f"/{directory}/{name}" for directory in "abc" for name in "wxyz"])
ENTRIES = st.builds(
    lambda text, media_type, version: (text, media_type, version),
    st.sampled_from(["", "one", "two", "three"]),
    st.sampled_from(["text/plain", "text/markdown"]),
    st.integers(0, 9),
)
TREES = st.dictionaries(PATHS, ENTRIES).map(
    lambda tree: {path: entry(path, *drawn) for path, drawn in tree.items()}
)


def entry(path: str, text: str, media_type: str = "text/plain", version: int = 0) -> TreeEntry:
    size = len(text.encode())
    return TreeEntry(path, UUID(int=version), content_sha256(text), media_type, size)


def tree(**texts: str) -> dict[str, TreeEntry]:
    return by_path(entry(f"/{name}", text) for name, text in texts.items())


def told(changes: Iterable[PathChange]) -> list[tuple[Status, str | None, str]]:
    return [(change.status, change.old_path, change.path) for change in changes]


def test_each_status():
    base = tree(kept="same", edited="before", gone="bye", old="moved")
    head = tree(kept="same", edited="after", fresh="hello", new="moved")
    assert told(classify(base, head)) == [
        (Status.MODIFIED, None, "/edited"),
        (Status.ADDED, None, "/fresh"),
        (Status.DELETED, None, "/gone"),
        (Status.RENAMED, "/old", "/new"),
    ]


def test_a_media_type_is_part_of_the_content_at_a_path():
    base, head = entry("/a", "x", "text/plain"), entry("/a", "x", "text/markdown")
    assert classify({"/a": base}, {"/a": head}) == (PathChange(Status.MODIFIED, base, head),)


def test_writing_the_same_again_is_no_change():
    assert classify({"/a": entry("/a", "x", version=1)}, {"/a": entry("/a", "x", version=2)}) == ()


def test_a_copy_is_an_addition():
    assert told(classify(tree(a="x"), tree(a="x", b="x"))) == [(Status.ADDED, None, "/b")]


def test_renames_prefer_the_same_file_name_then_the_order_of_paths():
    base = by_path(entry(path, "x") for path in ["/old/a", "/old/b", "/old/c"])
    head = by_path(entry(path, "x") for path in ["/new/b", "/new/d", "/new/e", "/new/f"])
    assert told(classify(base, head)) == [
        (Status.RENAMED, "/old/b", "/new/b"),
        (Status.RENAMED, "/old/a", "/new/d"),
        (Status.RENAMED, "/old/c", "/new/e"),
        (Status.ADDED, None, "/new/f"),
    ]


@given(TREES, TREES)
def test_applying_the_changes_to_base_gives_head(base, head):
    result = dict(base)
    changes = classify(base, head)
    for change in changes:
        if change.before:
            del result[change.before.path]
    for change in changes:
        if change.after:
            result[change.after.path] = change.after
    content = {path: (found.content_sha256, found.media_type) for path, found in result.items()}
    assert content == {p: (found.content_sha256, found.media_type) for p, found in head.items()}


@given(TREES, TREES)
def test_each_path_is_told_once_and_in_order(base, head):
    changes = classify(base, head)
    paths = [change.path for change in changes]
    assert paths == sorted(set(paths), key=str.encode)
    sources = [change.old_path for change in changes if change.old_path]
    assert len(sources) == len(set(sources))
    assert not set(sources).intersection(paths)
    for change in changes:
        if change.status is Status.RENAMED:
            assert change.before
            assert change.after
            assert change.before.content_sha256 == change.after.content_sha256


@given(TREES, TREES)
def test_leaving_out_unchanged_paths_changes_nothing(base, head):
    common = {path for path in base if base[path] == head.get(path)}
    assert classify(base, head) == classify(
        {path: found for path, found in base.items() if path not in common},
        {path: found for path, found in head.items() if path not in common},
    )


@given(TREES, TREES)
def test_the_diff_hash_does_not_know_of_renames(base, head):
    def content(found: TreeEntry | None) -> Content | None:
        return None if found is None else Content(found.content_sha256, found.media_type)

    plain = [
        Change(path, content(base.get(path)), content(head.get(path)))
        for path in {*base, *head}
        if content(base.get(path)) != content(head.get(path))
    ]
    assert diff_hash(hashed_changes(classify(base, head))) == diff_hash(plain)
