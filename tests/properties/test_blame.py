"""Blame of random histories against carrying every line's owner forward (contract R3)."""

from hypothesis import given
from hypothesis import strategies as st

from memory.actors import IMPORTER
from memory.diffs.alignment import changed_blocks
from memory.models import MemoryStore, MemoryVersion, VersionKind
from memory.queries.blame import blame_document
from memory.queries.documents import read_document
from memory.versions.sealing import Put, draft, seal

PATHS = ("/a", "/b", "/c")
texts = st.lists(st.sampled_from("abcde"), max_size=8).map(
    lambda lines: "".join(map("{}\n".format, lines))
)
writes = st.tuples(st.just("write"), st.sampled_from(PATHS), texts)
moves = st.tuples(st.just("move"), st.sampled_from(PATHS), st.sampled_from(PATHS))
deletions = st.tuples(st.just("delete"), st.sampled_from(PATHS), st.none())
histories = st.lists(st.one_of(writes, writes, moves, deletions), min_size=1, max_size=14)

Lines = list[tuple[str, str]]
"""Lines, each with the version that wrote it."""


def changes_of(tree: dict[str, str], step) -> dict[str, str | None]:
    """What a step changes; nothing when it cannot be done. A move overwrites nothing."""
    kind, path, what = step
    if kind == "write":
        return {path: what} if tree.get(path) != what else {}
    if path not in tree:
        return {}
    if kind == "delete":
        return {path: None}
    return {path: None, what: tree[path]} if what not in tree else {}


def text_of(lines: Lines) -> str:
    return "".join(line for line, _ in lines)


def written(before: Lines, text: str, version: str) -> Lines:
    """The lines after a write: those that stay keep their owner."""
    after = [(line, version) for line in text.splitlines(keepends=True)]
    old = [line.encode() for line, _ in before]
    new = [line.encode() for line, _ in after]
    at = result_at = 0
    for block in changed_blocks(old, new, indented=True):
        after[result_at : block.new_start] = before[at : block.old_start]
        at, result_at = block.old_end, block.new_end
    after[result_at:] = before[at:]
    return after


@given(histories)
def test_blame_is_what_every_write_would_have_remembered(some_store: MemoryStore, history):
    remembered: dict[str, Lines] = {}
    tip: MemoryVersion | None = None
    for step in history:
        changes = changes_of({path: text_of(lines) for path, lines in remembered.items()}, step)
        if not changes:
            continue
        puts = {path: None if text is None else Put(text) for path, text in changes.items()}
        tip = seal(
            store_id=some_store.id,
            draft=draft(tip, puts),
            kind=VersionKind.IMPORT,
            actor=IMPORTER,
        )
        kept = remembered.pop(step[1], []) if step[0] != "write" else remembered.get(step[1], [])
        for path, text in changes.items():
            if text is not None:
                remembered[path] = written(kept, text, tip.id)
    for path, lines in remembered.items():
        assert tip is not None
        assert blamed(some_store.id, path, tip.id) == [version for _, version in lines]


def blamed(store_id: str, path: str, version_id: str) -> list[str]:
    ranges = blame_document(read_document(store_id, path, version_id)).ranges
    return [each.owner.version_id for each in ranges for _ in range(each.start, each.end + 1)]
