"""console.md: which words of a line changed, as far as that helps the eye."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.diffs.intraline import Effort, Pair, changed_ranges, pair_lines

TEXTS = st.text("ab .é中文", max_size=40)


def changed(old: str, new: str) -> tuple[list[str], ...]:
    ranges = changed_ranges(old, new, Effort())
    return tuple(
        [text[start:end] for start, end in side]
        for text, side in zip((old, new), ranges, strict=True)
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("one two three", "one 2 three", (["two"], ["2"])),
        ("one three", "one two three", ([], ["two "])),
        ("call(old_name)", "call(new_name)", (["old_name"], ["new_name"])),
        ("a bb cc d e f", "a BB CC d e f", (["bb cc"], ["BB CC"])),
        ("我们今天开会", "我们明天开会", (["今"], ["明"])),
        ("same", "same", ([], [])),
        ("nothing alike here", "quite other words", ([], [])),
        ("a b", "a  b", ([" "], ["  "])),
        ("x" * 3000 + "old", "x" * 3000 + "new", (["old"], ["new"])),
        ("x" * 3000, "y" * 3000, ([], [])),
        ("x" * 3000, "x" * 3001, ([], ["x"])),
    ],
)
def test_changed_words(old, new, expected):
    assert changed(old, new) == expected


@given(TEXTS, TEXTS)
def test_what_is_not_marked_is_equal(old, new):
    sides = changed_ranges(old, new, Effort())
    kept = []
    for text, ranges in zip((old, new), sides, strict=True):
        assert all(0 <= start < end <= len(text) for start, end in ranges)
        assert all(one[1] < other[0] for one, other in pairwise(ranges))
        edges = [0, *(edge for span in ranges for edge in span), len(text)]
        kept.append(
            "".join(text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
        )
    if any(sides):
        assert kept[0] == kept[1]


def test_as_many_lines_of_both_are_paired_in_order():
    assert pair_lines(["a", "b"], ["x", "y"], Effort()) == [Pair(0, 0), Pair(1, 1)]


def test_of_more_lines_the_alike_are_paired():
    removed = ["the quick fox", "jumps over it"]
    added = ["a new line", "the slow fox", "another", "jumps over them"]
    assert pair_lines(removed, added, Effort()) == [Pair(0, 1), Pair(1, 3)]


def test_too_many_lines_are_paired_in_order():
    pairs = pair_lines(["a"] * 30, ["b"] * 40, Effort())
    assert pairs == [Pair(index, index) for index in range(30)]


@given(st.lists(TEXTS, max_size=8), st.lists(TEXTS, max_size=8))
def test_pairs_ascend(removed, added):
    for one, other in pairwise(pair_lines(removed, added, Effort())):
        assert one.removed < other.removed
        assert one.added < other.added


def test_without_effort_left_nothing_is_marked():
    assert changed_ranges("one two", "one 2", Effort(10)) == ((), ())
    assert pair_lines(["one two"], ["one", "two"], Effort(0)) == []
