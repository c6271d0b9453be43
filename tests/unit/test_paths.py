"""Contract M2: which texts are paths, and which trees of paths can be."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory.documents.paths import (
    Clash,
    PathError,
    ancestors,
    is_under,
    new_clashes,
    parse_path,
    parse_prefix,
)
from tests.oracle.trees import clashes

# Few letters, so that documents and directories collide often; "!" and "-" sort before "/".
TREE_PATHS = st.from_regex(r"(/[ab!-]{1,2}){1,4}", fullmatch=True)


@pytest.mark.parametrize(
    "path",
    [
        "/a",
        "/notes/today.md",
        "/with space/and (signs) #1 & more.txt",
        "/...",
        "/.hidden",
        "/na\u00efve/\u4e2d\u6587/\U0001f600.md",
        "/" + "s" * 255,
        "/s" * 32,
        "/" + "/".join(["s" * 255] * 4),
    ],
)
def test_paths(path):
    assert parse_path(path) == path


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", "empty"),
        ("/", "names no document"),
        ("/a\\b", r"backslash.*U\+005C\) at character 3"),
        ("/a\nb", r"control character \(U\+000A\)"),
        ("/a\tb", "control character"),
        ("/a\x00", "control character"),
        ("/a\x85b", "control character"),
        ("/a\u2028b", "control character"),
        ("/a\u202eb", r"bidirectional control character \(U\+202E\)"),
        ("/a\u200fb", "bidirectional"),
        ("/a\u2069b", "bidirectional"),
        ("/a\u200bb", r"zero-width character \(U\+200B\)"),
        ("/a\u200db", "zero-width"),
        ("/\ufeffa", "zero-width"),
        ("/a\u2060", "zero-width"),
        ("/a\u00adb", "zero-width"),
        ("/a\U000e0041", "zero-width"),
        ("/a\ud800", "lone surrogate"),
        ("/" + "s" * 256, "segment of 256 bytes; 255"),
        ("/" + "\u00e9" * 128, "segment of 256 bytes; 255"),
        ("/s" * 33, "33 segments; 32"),
        ("/" + "/".join(["\u00e9" * 127] * 5), "1,275 bytes; 1,024"),
        ("/" + "s" * 5000, "more than 1,024 bytes"),
    ],
)
def test_refused(path, words):
    with pytest.raises(PathError, match=words):
        parse_path(path)


@pytest.mark.parametrize(
    ("path", "words", "normalized"),
    [
        ("a/b", "begin with /", "/a/b"),
        ("/a/", "not end with /", "/a"),
        ("/a//b", "empty segment", "/a/b"),
        ("//a", "empty segment", "/a"),
        ("/./a", "segment . or ..", "/a"),
        ("/a/../b", "segment . or ..", "/b"),
        ("/cafe\u0301", "normalization form C", "/caf\u00e9"),
        ("/\u212b", "normalization form C", "/\u00c5"),
        ("e\u0301/../x//y/", "begin with /", "/x/y"),
    ],
)
def test_the_message_tells_the_normalized_form(path, words, normalized):
    with pytest.raises(PathError) as refused:
        parse_path(path)
    assert words in str(refused.value)
    assert str(refused.value).endswith(f"the normalized form is {normalized}")
    assert parse_path(normalized) == normalized


def test_no_form_is_offered_where_none_is_left():
    with pytest.raises(PathError) as refused:
        parse_path("/a/..")
    assert "normalized form" not in str(refused.value)


@given(st.text(max_size=40) | st.text("/.a\u0301\u202e\\", max_size=12).map("/".__add__))
@example("/\u0344")
def test_what_is_accepted_keeps_every_rule(text):
    try:
        path = parse_path(text)
    except PathError:
        return
    assert path == text == unicodedata.normalize("NFC", text)
    assert path.startswith("/")
    segments = path[1:].split("/")
    assert not {"", ".", ".."}.intersection(segments)
    assert not any(unicodedata.category(character) in {"Cc", "Cs"} for character in path)
    assert "\\" not in path


@pytest.mark.parametrize("prefix", ["/", "/notes/", "/notes", "/notes/today.md", "/a/b/c/"])
def test_prefixes(prefix):
    assert parse_prefix(prefix) == prefix


@pytest.mark.parametrize("prefix", ["", "notes/", "//", "/notes//", "/../", "/a\u200b/"])
def test_no_prefixes(prefix):
    with pytest.raises(PathError):
        parse_prefix(prefix)


@pytest.mark.parametrize(
    ("path", "prefix", "selected"),
    [
        ("/notes/a", "/", True),
        ("/notes/a", "/notes/", True),
        ("/notes/a", "/notes", True),
        ("/notes/a", "/notes/a", True),
        ("/notes/a", "/not", False),
        ("/notes", "/notes/", False),
        ("/notes-2/a", "/notes", False),
    ],
)
def test_what_a_prefix_selects(path, prefix, selected):
    assert is_under(path, prefix) is selected


def test_ancestors():
    assert list(ancestors("/a/b/c.md")) == ["/a", "/a/b"]
    assert list(ancestors("/a")) == []


@given(st.sets(TREE_PATHS, max_size=12), st.sets(TREE_PATHS, max_size=4), st.data())
def test_new_clashes_are_those_of_the_new_tree(paths, added, data):
    tree = sorted(paths - {below for _, below in clashes(paths)})
    removed = data.draw(st.sets(st.sampled_from(tree))) - added if tree else set()
    after = clashes((set(tree) | added) - removed)
    found = new_clashes(tree, added, removed)
    assert bool(found) == bool(after)
    assert set(found) <= after
    # A path above many is told with one of them; a path below others with each.
    assert {clash.document for clash in found} == {document for document, _ in after}


def test_a_large_tree_is_searched_not_read():
    class Counted(list[str]):
        reads = 0

        def __getitem__(self, index):
            type(self).reads += 1
            return super().__getitem__(index)

    tree = Counted(sorted(f"/d{number % 100}/{number}.md" for number in range(10_000)))
    assert new_clashes(tree, ["/d7", "/d8/8.md/x"]) == [
        Clash("/d7", "/d7/10007.md") if "/d7/10007.md" in tree else Clash("/d7", "/d7/1007.md"),
        Clash("/d8/8.md", "/d8/8.md/x"),
    ]
    assert Counted.reads < 100
