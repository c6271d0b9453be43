"""What Hypothesis draws: few paths and texts, so that they meet, chosen to be awkward.

Half of the paths end a page of the tree, so that even a tree of ten documents has several pages.
"""

import re
from collections.abc import Iterable
from itertools import count
from typing import Any, Final

from hypothesis import strategies as st

from tests.oracle.provenance import Provenance
from tests.oracle.replays import Choices, Clash, Clashes, Resolution
from tests.oracle.store import Store
from tests.oracle.treehash import content_hash, ends_page
from tests.oracle.values import UNKNOWN, Delete, Operation, Put, Tree


def closing(stem: str, ending: str = ".md") -> str:
    """The first path made of a stem and a number that ends a page."""
    return next(path for n in count() if ends_page(path := f"{stem}{n}{ending}"))


PATHS: Final = (
    "/a",
    "/a/b",  # below a document, should there be one at /a
    "/a/b/c.md",
    "/a-b",  # between /a and /a/b in byte order, and below neither
    "/a.md",
    "/b/notes.md",
    "/c/notes.md",  # the same file name: renames prefer it
    "/ﬀ.md",  # before the next one by code point, after it in UTF-16
    "/𝄞.md",
    closing("/a/"),
    closing("/b/notes"),
    closing("/d/x"),
    closing("/m"),
    closing("/ﬁ"),
    closing("/zebra/"),
)
PREFIXES: Final = ("/", "/a", "/a/", "/a/b", "/b/", "/nowhere/", "/zebra")
TEXTS: Final = ("", "one\n", "two\n", "two\r\n", "no line end", "café 𝄞\n")
LINES: Final = ("getUserName\n", "one\n", "two\r\n", "two\n", "東京都 one two\n", "café sha256\n")
TAKES: Final = ("proposal", "proposal", "proposal", "canonical", "deletion")
QUERIES: Final = (
    *("one", "TWO", "one two", "one -two", '"one two"', 'café -"one two"', "café", "cafe"),
    *("getUserName", "getusername", "get_user_name", "user", "usern", "sha", "sha256", "256"),
    *("東京", "京都", "京東", "東", "notes", "notes.md", "zebra", "ff", "line end", "nowhere"),
    *("-one", "!?", '""'),
)

paths = st.sampled_from(PATHS)
prefixes = st.sampled_from(PREFIXES)
queries = st.sampled_from(QUERIES)
last_lines = st.just("") | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\n"), max_size=12
)
chosen_lines = st.sets(st.sampled_from(LINES)).map(lambda lines: sorted(lines, key=LINES.index))
texts = st.sampled_from(TEXTS) | st.builds(
    lambda lines, last: "".join([*lines, last]), chosen_lines, last_lines
)
"""No line stands twice in a text, and any two lines stand in one order in every text."""
long_texts = st.sets(st.sampled_from(LINES), min_size=4).map(
    lambda lines: "".join(sorted(lines, key=LINES.index))
)

hexes = st.integers(0, 3).map(lambda n: f"0190a0b0c0d07e0f8a0b0c0d0e0f101{n}")
some_hexes = st.lists(hexes, max_size=2).map(tuple)
claims = st.builds(
    Provenance,
    st.sampled_from(("observed", "inferred", "uncertain")),
    st.sampled_from(("2026-01-31T23:59:59.999Z", "1999-12-31T00:00:00.000Z")),
    events=some_hexes,
    versions=some_hexes,
    refs=st.lists(st.sampled_from(("x", 'a "café"\n', "\u2028𝄞")), max_size=2).map(tuple),
    curation=st.none() | hexes,
    supersedes=st.none() | st.tuples(st.sampled_from(PATHS), hexes),
)
provenances = st.none() | claims

media_types = st.none() | st.sampled_from(("text/plain", "text/markdown", "application/x-note"))


def mostly(usual: Any, rare: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """`usual` in four of five draws."""
    return st.one_of(*[st.just(usual)] * 4, rare)


def versions_in(oracle: Store) -> st.SearchStrategy[int]:
    """A version of the store; the newest one when shrinking."""
    return st.integers(1, len(oracle.versions)).map(lambda back: len(oracle.versions) - back)


def maybe_versions_in(oracle: Store) -> st.SearchStrategy[int | None]:
    """The same, or none named, or now and then one that nobody has."""
    return versions_in(oracle) | st.none() | mostly(None, st.just(UNKNOWN))


def right_operations(tree: Tree) -> st.SearchStrategy[tuple[Operation, ...]]:
    """One to four operations that fit: they expect what is there, and no document would be a
    directory.
    """
    chosen = st.lists(st.sampled_from(fitting(tree)), min_size=1, max_size=4, unique=True)
    return chosen.map(_apart).flatmap(lambda paths: _right_ones(paths, tree))


def fitting(tree: Tree) -> list[str]:
    """The paths at which a document clashes with none of the tree."""
    return [path for path in PATHS if not any(_clash(path, other) for other in tree)]


def _right_ones(paths: list[str], tree: Tree) -> st.SearchStrategy[tuple[Operation, ...]]:
    return st.tuples(*(right_operation(path, tree) for path in paths))


def any_operations(tree: Tree) -> st.SearchStrategy[tuple[Operation, ...]]:
    """One to four operations on different paths, right or wrong."""
    chosen = st.lists(st.sampled_from(PATHS), min_size=1, max_size=4, unique=True)
    return chosen.flatmap(lambda paths: st.tuples(*(any_operation(path, tree) for path in paths)))


def right_operation(path: str, tree: Tree) -> st.SearchStrategy[Operation]:
    """A write or, where there is a document, a deletion, expecting what is there."""
    found = tree[path].sha256 if path in tree else None
    written = retouched(tree[path].text) | texts if found else texts
    put = st.builds(Put, st.just(path), written, media_types, st.just(found), provenances)
    return put | st.just(Delete(path, found)) if found else put


def operations_near(paths: Iterable[str], tree: Tree) -> st.SearchStrategy[tuple[Operation, ...]]:
    """One to three operations that fit, on some paths or on such as clash with them."""
    changed = set(paths)
    near = [
        path
        for path in fitting(tree)
        if path in changed or any(_clash(path, other) for other in changed)
    ]
    chosen = st.lists(st.sampled_from(near or PATHS[-1:]), min_size=1, max_size=3, unique=True)
    return chosen.map(_apart).flatmap(lambda paths: _right_ones(paths, tree))


def retouched(text: str) -> st.SearchStrategy[str]:
    """A text with one line more or less, where it has such lines."""
    lines = re.findall(r"[^\n]*\n", text)
    if not set(lines) <= set(LINES):
        return texts
    last = text[sum(map(len, lines)) :]
    toggled = st.sampled_from(LINES).map(lambda line: {line} ^ set(lines))
    return toggled.map(lambda held: "".join([*filter(held.__contains__, LINES), last]))


def choices_on(found: Clashes) -> st.SearchStrategy[Choices]:
    """A resolution for each conflict; now and then too few or too many, or on another canonical."""
    foreign = next(path for path in PATHS if path not in {one.path for one in found.data})
    right = st.tuples(*map(resolutions, found.data))
    wrong = right.flatmap(
        lambda each: st.sampled_from((each[1:], (*each, Resolution(foreign, "canonical"))))
    )
    canonical = mostly(found.canonical, mostly(found.canonical, st.just(0)))
    return st.builds(Choices, canonical, st.one_of(right, right, right, wrong))


def resolutions(clash: Clash) -> st.SearchStrategy[Resolution]:
    """What may be at one path."""
    path = st.just(clash.path)
    sides = st.builds(Resolution, path, st.sampled_from(TAKES))
    content = st.builds(Resolution, path, st.just("content"), texts, media_types, provenances)
    text = clash.merged.text if clash.merged else None
    seen = content_hash("another text" if text is None else text)
    merge = st.just(Resolution(clash.path, "merge", sha256=seen))
    usual = (sides, content) if text is None else (merge, merge, sides, content)
    return st.one_of(*usual * 2, merge)


def any_operation(path: str, tree: Tree) -> st.SearchStrategy[Operation]:
    """An operation that may expect something else than what is there."""
    expected = st.sampled_from((None, content_hash(TEXTS[1]), content_hash("other")))
    wrong_put = st.builds(Put, st.just(path), texts, media_types, expected, provenances)
    wrong_delete = st.just(Delete(path, content_hash("other")))
    return right_operation(path, tree) | wrong_put | wrong_delete


def _apart(paths: list[str]) -> list[str]:
    """The paths of a list that do not clash with an earlier one."""
    kept: list[str] = []
    for path in paths:
        if not any(_clash(path, other) for other in kept):
            kept.append(path)
    return kept


def _clash(path: str, other: str) -> bool:
    return path.startswith(other + "/") or other.startswith(path + "/")
