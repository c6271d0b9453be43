"""Contract M8: hashes as docs/tree-hash.md specifies them, and pages that never move."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.trees.hashing import (
    Change,
    Content,
    HashError,
    closes_page,
    content_sha256,
    diff_hash,
    page_hash,
    parse_hash,
    spell_hash,
    split_pages,
    tree_hash,
)

Tree = Mapping[str, Content]
Documents = list[dict[str, str]]

DOCS = Path(__file__).resolve().parents[2] / "docs"
VECTORS = json.loads((DOCS / "tree-hash-vectors.json").read_bytes())

# Computed with sha256sum from the commands in docs/tree-hash.md.
HELLO_TREE = "sha256:1500eb9724c255596a722a8285bd73bac3ec47ea085b8dacbbb4327bdda22aa3"
EMPTY_TREE = "sha256:9a9d38eae60e59577198f7771ac8f9d7b1d05e88eb3cbf031006877815874c77"
RENAMED_HELLO = "sha256:1c51639c7ea52a8079c2a79b795c0ad1932bc89b2623ff065e4ad85990becab6"

# Directories whose order differs between UTF-8, UTF-16 and languages; about one path in 64
# closes its page.
PATHS = st.builds(
    "/{}/{}".format, st.sampled_from(["A", "a", "é", "\uff61", "\U0001f600"]), st.integers(0, 5_000)
)
CONTENTS = st.builds(
    Content,
    st.binary(min_size=32, max_size=32),
    st.sampled_from(["text/plain", "text/markdown", "application/json"]),
)
TREES = st.dictionaries(PATHS, CONTENTS, max_size=200)


class Entry(NamedTuple):
    path: str
    content_sha256: bytes
    media_type: str


def entries(tree: Tree) -> list[Entry]:
    return [Entry(path, *tree[path]) for path in sorted(tree)]


def hash_of(tree: Tree) -> bytes:
    return tree_hash(page_hash(page) for page in split_pages(entries(tree)))


def changes(base: Tree, head: Tree) -> list[Change]:
    return [
        Change(path, base.get(path), head.get(path))
        for path in {*base, *head}
        if base.get(path) != head.get(path)
    ]


def parse_documents(documents: Documents) -> Tree:
    return {
        document["path"]: Content(
            parse_hash(document["content_sha256"])
            if "content_sha256" in document
            else content_sha256(document["content"]),
            document["media_type"],
        )
        for document in documents
    }


def spell_documents(tree: Tree) -> Documents:
    return [
        {
            "path": path,
            "content_sha256": spell_hash(content.sha256),
            "media_type": content.media_type,
        }
        for path, content in tree.items()
    ]


def verify(file: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", str(DOCS / "verify_tree_hash.py"), str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["name"])
def test_published_vectors(case):
    head = parse_documents(case["documents"])
    assert spell_hash(hash_of(head)) == case["tree_hash"]
    if "base" in case:
        base = parse_documents(case["base"])
        assert spell_hash(diff_hash(changes(base, head))) == case["diff_hash"]


def test_values_computed_with_other_tools():
    hello = Content(content_sha256("Hello\n"), "text/markdown")
    assert spell_hash(hash_of({"/notes/today.md": hello})) == HELLO_TREE
    assert spell_hash(tree_hash([])) == EMPTY_TREE
    renamed = changes({"/notes/today.md": hello}, {"/notes/tomorrow.md": hello})
    assert spell_hash(diff_hash(renamed)) == RENAMED_HELLO


def test_the_verifier_accepts_the_vectors_and_is_short():
    outcome = verify(DOCS / "tree-hash-vectors.json")
    assert outcome.returncode == 0, outcome.stdout
    assert outcome.stdout.count(" ok\n") == 2 * len(VECTORS)
    assert len((DOCS / "verify_tree_hash.py").read_text().splitlines()) < 40


def test_the_verifier_refuses_a_wrong_hash(tmp_path):
    file = tmp_path / "tree.json"
    file.write_text(json.dumps([{"documents": [], "tree_hash": HELLO_TREE}]))
    outcome = verify(file)
    assert outcome.returncode == 1
    assert f"{EMPTY_TREE} tree_hash but says {HELLO_TREE}" in outcome.stdout


def test_the_specification_quotes_the_example():
    text = (DOCS / "tree-hash.md").read_text()
    assert HELLO_TREE.removeprefix("sha256:") in text
    assert EMPTY_TREE.removeprefix("sha256:") in text


def test_random_trees_hash_as_the_verifier_says(tmp_path):
    cases = []

    @settings(deadline=None)
    @given(TREES, TREES)
    def collect(base, head):
        cases.append(
            {
                "base": spell_documents(base),
                "documents": spell_documents(head),
                "tree_hash": spell_hash(hash_of(head)),
                "diff_hash": spell_hash(diff_hash(changes(base, head))),
            }
        )

    collect()
    file = tmp_path / "trees.json"
    file.write_text(json.dumps(cases))
    outcome = verify(file)
    assert outcome.returncode == 0, outcome.stdout


@given(TREES)
def test_pages_hold_every_entry_and_end_where_their_last_path_says(tree):
    pages = list(split_pages(entries(tree)))
    assert [entry for page in pages for entry in page] == entries(tree)
    assert all(pages)
    for page in pages[:-1]:
        assert closes_page(page[-1].path)
    for page in pages:
        assert not any(closes_page(entry.path) for entry in page[:-1])


@given(TREES, st.data())
def test_one_edit_changes_one_page(tree, data):
    if not tree:
        return
    path = data.draw(st.sampled_from(sorted(tree)))
    edited = tree | {path: data.draw(CONTENTS)}
    before, after = list(split_pages(entries(tree))), list(split_pages(entries(edited)))
    assert [[e.path for e in page] for page in before] == [[e.path for e in page] for page in after]
    differing = [page for page, other in zip(before, after, strict=True) if page != other]
    assert len(differing) <= 1


def test_pages_have_64_entries_on_average():
    paths = (f"/notes/{number}.md" for number in range(20_000))
    assert 50 < 20_000 / sum(map(closes_page, paths)) < 80


@given(st.lists(st.builds(Change, PATHS, CONTENTS, st.none()), unique_by=lambda each: each.path))
def test_the_order_of_changes_does_not_matter(found):
    assert diff_hash(found) == diff_hash(reversed(found))


@given(st.binary(min_size=32, max_size=32))
def test_a_hash_is_read_as_it_was_spelled(digest):
    assert parse_hash(spell_hash(digest)) == digest


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sha256:",
        "0" * 64,
        "md5:" + "0" * 64,
        "sha256:" + "0" * 63,
        "sha256:" + "A" * 64,
        "sha256:" + "0" * 64 + "\n",
        "sha256:" + "\u0660" * 64,
    ],
)
def test_other_texts_are_no_hash(text):
    with pytest.raises(HashError, match="64 lowercase"):
        parse_hash(text)


def test_content_is_hashed_as_its_bytes():
    assert content_sha256("é\r\n") == content_sha256(b"\xc3\xa9\r\n")
