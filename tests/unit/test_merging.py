"""Contract P4: the per-path three-way replay."""

from hypothesis import given
from hypothesis import strategies as st

from memory.merging.paths import PathWrite, Replayed, Tree, replay
from memory.trees.hashing import Content, content_sha256
from tests.oracle.trees import clashes

PATHS = st.sampled_from(["/a", "/a/b", "/a/b/c", "/a-", "/d", "/d/e", "/f"])


def text(words: str, media_type: str = "text/plain") -> Content:
    return Content(content_sha256(words), media_type)


def without_clashes(tree: Tree) -> Tree:
    lower = {below for _, below in clashes(tree)}
    return {path: content for path, content in tree.items() if path not in lower}


TREES = st.dictionaries(PATHS, st.sampled_from("xyz").map(text)).map(without_clashes)


def test_changes_of_different_paths_meet():
    base = {"/a": text("1"), "/b": text("1"), "/c": text("1")}
    head = {"/a": text("2"), "/c": text("1"), "/new": text("n")}
    canonical = base | {"/c": text("3")}
    assert replay(base, head, canonical) == Replayed(
        (
            PathWrite("/a", text("1"), text("2")),
            PathWrite("/b", text("1"), None),
            PathWrite("/new", None, text("n")),
        )
    )


def test_both_sides_of_one_path_conflict():
    base = {"/a": text("1"), "/b": text("1"), "/c": text("1")}
    head = {"/a": text("2"), "/c": text("2"), "/d": text("2")}
    canonical = {"/a": text("3"), "/b": text("3"), "/d": text("3")}
    assert replay(base, head, canonical) == Replayed((), ("/a", "/b", "/c", "/d"))


def test_the_same_on_both_sides_is_nothing_to_do():
    base, head = {"/a": text("1"), "/b": text("1")}, {"/a": text("2"), "/n": text("n")}
    assert replay(base, head, head) == Replayed(())


def test_the_media_type_is_part_of_the_content():
    base, head = {"/a": text("1")}, {"/a": text("1", "text/markdown")}
    assert replay(base, head, {"/a": text("2")}) == Replayed((), ("/a",))
    assert replay(base, head, base) == Replayed((PathWrite("/a", base["/a"], head["/a"]),))


def test_a_document_that_would_be_a_directory_conflicts():
    above = replay({}, {"/a": text("1")}, {"/a/b": text("2")})
    assert above == Replayed((), blocked={"/a": ("/a/b",)})
    below = replay({}, {"/a/b": text("1"), "/c": text("1")}, {"/a": text("2")})
    assert below == Replayed((PathWrite("/c", None, text("1")),), blocked={"/a/b": ("/a",)})


def test_what_conflicts_keeps_nothing_else_from_applying():
    base, head = {"/a": text("1"), "/b": text("1")}, {"/a": text("2"), "/b": text("2")}
    outcome = replay(base, head, {"/a": text("3"), "/b": text("1")})
    assert outcome == Replayed((PathWrite("/b", text("1"), text("2")),), ("/a",))


def test_a_document_may_become_a_directory():
    base, head = {"/a": text("1")}, {"/a/b": text("1")}
    assert replay(base, head, base) == Replayed(
        (PathWrite("/a", text("1"), None), PathWrite("/a/b", None, text("1")))
    )


@given(TREES, TREES, TREES)
def test_against_a_naive_oracle(base, head, canonical):
    expected, conflicts = dict(canonical), set()
    for path in {*base, *head}:
        if base.get(path) == head.get(path):
            continue
        if canonical.get(path) not in (base.get(path), head.get(path)):
            conflicts.add(path)
        elif path in head:
            expected[path] = head[path]
        else:
            expected.pop(path, None)
    outcome = replay(base, head, canonical)
    assert set(outcome.contested) == conflicts
    assert bool(outcome.blocked) == bool(clashes(expected))
    if not outcome.blocked:
        assert applied(canonical, outcome) == expected


def applied(canonical: Tree, outcome: Replayed) -> Tree:
    result = dict(canonical)
    for operation in outcome.operations:
        assert canonical.get(operation.path) == operation.before
        if operation.after is None:
            del result[operation.path]
        else:
            result[operation.path] = operation.after
    return result


@given(TREES, TREES)
def test_a_replay_on_its_own_base_gives_head(base, head):
    outcome = replay(base, head, base)
    assert not outcome.conflicts
    assert applied(base, outcome) == head


@given(TREES, TREES)
def test_a_replay_of_nothing_does_nothing(base, canonical):
    assert replay(base, base, canonical) == Replayed(())
