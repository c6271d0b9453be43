"""Contract P4: two changes of one text brought together, as `git merge-file` has it."""

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.merging.lines import MergedText, Stretch, has_marks, merge_lines
from tests.oracle.linemerges import merge_by_git

LINES = st.sampled_from(["alpha", "beta", "gamma", "delta", "<<<<<<< x", "======= y", "1", "a\rb"])
TEXTS = st.builds(
    lambda lines, end: "\n".join(lines) + end,
    st.lists(LINES, max_size=20),
    st.sampled_from(["", "\n"]),
)


def edited(draw: st.DrawFn, text: str) -> str:
    lines = text.split("\n")
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(lines)))
        end = draw(st.integers(start, min(len(lines), start + 2)))
        lines[start:end] = draw(st.lists(LINES, max_size=2))
    return "\n".join(lines)


@st.composite
def merges(draw: st.DrawFn) -> tuple[str, str, str]:
    """A text, and two edited copies of it."""
    base = draw(TEXTS)
    return base, edited(draw, base), edited(draw, base)


@given(merges())
@settings(deadline=None)
def test_it_agrees_with_git(texts):
    merged = merge_lines(*texts)
    assert (merged.text, merged.conflicts) == merge_by_git(*texts)


@given(merges())
def test_what_only_one_side_changed_is_never_lost(texts):
    base, canonical, proposed = texts
    assert merge_lines(base, canonical, base).text == canonical
    assert merge_lines(base, base, proposed).text == proposed
    assert merge_lines(base, proposed, proposed).text == proposed


@st.composite
def clear_merges(draw: st.DrawFn) -> tuple[str, str, str]:
    """The same, where no line stands twice: so there is one way only to see what was changed."""
    lines = draw(st.lists(LINES, unique=True))
    base = "".join(f"{line}\n" for line in lines)
    return base, reworked(draw, "ours", lines), reworked(draw, "theirs", lines)


def reworked(draw: st.DrawFn, who: str, lines: list[str]) -> str:
    kept = ("{0}\n", "", f"{who} for {{0}}\n", f"{{0}}\n{who} after {{0}}\n")
    return "".join(draw(st.sampled_from(kept)).format(line) for line in lines)


@given(clear_merges())
def test_each_side_can_be_told_from_what_is_contested(texts):
    """Taking one side of every conflict loses nothing that the other side changed elsewhere."""
    base, canonical, proposed = texts
    merged = merge_lines(base, canonical, proposed)
    ours = "".join(stretch.canonical for stretch in merged.stretches)
    theirs = "".join(stretch.proposed for stretch in merged.stretches)
    assert merge_lines(base, ours, proposed).conflicts <= merged.conflicts
    assert merge_lines(base, canonical, theirs).conflicts <= merged.conflicts


def test_changes_of_different_lines_meet():
    base = "one\ntwo\nthree\nfour\n"
    merged = merge_lines(base, "ONE\ntwo\nthree\nfour\n", "one\ntwo\nthree\nFOUR")
    assert (merged.text, merged.conflicts) == ("ONE\ntwo\nthree\nFOUR", 0)


def test_changes_of_the_same_line_are_contested():
    merged = merge_lines("one\ntwo\nthree\n", "one\n2\nthree\n", "one\nTWO\nthree\n")
    assert merged.stretches == (
        Stretch("one\n", "one\n"),
        Stretch("2\n", "TWO\n"),
        Stretch("three\n", "three\n"),
    )
    assert merged.text == ("one\n<<<<<<< canonical\n2\n=======\nTWO\n>>>>>>> proposal\nthree\n")
    assert has_marks(merged.text)


def test_two_texts_without_a_common_beginning():
    assert merge_lines("", "one\n", "two\n").conflicts == 1
    assert merge_lines("", "same\n", "same\n").text == "same\n"
    assert merge_lines("", "", "").text == ""


def test_lines_that_end_with_cr_lf_keep_it():
    base = "one\r\ntwo\r\nthree\r\n"
    clean = merge_lines(base, base + "four\r\n", base.replace("one", "ONE"))
    assert clean.text == "ONE\r\ntwo\r\nthree\r\nfour\r\n"
    contested = merge_lines(base, base.replace("two", "2"), base.replace("two", "TWO"))
    assert contested.text.count("\r\n") == contested.text.count("\n")
    assert has_marks(contested.text)


@pytest.mark.parametrize("text", ["", "a\n=======\nb\n", "<<<<<<< HEAD\n", ">>>>>>> other\n"])
def test_marks_of_others_are_text(text):
    assert not has_marks(text)
    assert merge_lines(text, text, text) == MergedText(
        (Stretch(text, text),) if text else (), ending="\n"
    )


def test_no_text_is_slow():
    sides = ["".join(f"{(n * step) % 7}\n" for n in range(51_200)) for step in (1, 3, 5)]
    begun = process_time()
    merge_lines(*sides)
    assert process_time() - begun < 5
