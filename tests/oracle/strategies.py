"""What Hypothesis draws: few paths and texts, so that they meet, chosen to be awkward.

Half of the paths end a page of the tree, so that even a tree of ten documents has several pages.
"""

from itertools import count
from typing import Any, Final

from hypothesis import strategies as st

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

paths = st.sampled_from(PATHS)
prefixes = st.sampled_from(PREFIXES)
texts = st.sampled_from(TEXTS) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12
)
media_types = st.none() | st.sampled_from(("text/plain", "text/markdown", "application/x-note"))


def mostly(usual: Any, rare: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """`usual` in four of five draws."""
    return st.one_of(*[st.just(usual)] * 4, rare)


def versions_in(oracle: Store) -> st.SearchStrategy[int]:
    """A version of the store, the newest first when shrinking, now and then an unknown one."""
    newest_first = list(reversed(range(len(oracle.versions))))
    return st.sampled_from(newest_first) | mostly(newest_first[0], st.just(UNKNOWN))


def operations_on(tree: Tree) -> st.SearchStrategy[tuple[Operation, ...]]:
    """One to four operations on different paths; most of them expect what is there."""
    chosen = st.lists(st.sampled_from(PATHS), min_size=1, max_size=4, unique=True)
    return chosen.flatmap(lambda paths: st.tuples(*(operation_at(path, tree) for path in paths)))


def operation_at(path: str, tree: Tree) -> st.SearchStrategy[Operation]:
    found = tree[path].sha256 if path in tree else None
    expected = mostly(found, st.sampled_from((None, content_hash(TEXTS[1]))))
    put = st.builds(Put, st.just(path), texts, media_types, expected)
    if found is None:
        return put
    delete = st.builds(Delete, st.just(path), mostly(found, st.just(content_hash("other"))))
    return put | delete
