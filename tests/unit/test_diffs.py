"""Contract R3 and console.md: line diffs that agree with git, bounded and honest."""

import os
import random
import re
import subprocess
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.diffs.lines import (
    Counts,
    Line,
    LineKind,
    Omitted,
    Opened,
    Row,
    TextDiff,
    compare,
    count_lines,
    split_rows,
    unified_text,
)
from tests.patience import PATIENCE

CONTEXT, REMOVED, ADDED = LineKind

LINES = st.sampled_from(
    ["", "a", "b", "  a", "\ta", "a b", "a  b", "  ", "x\r", "é\u2028", "\x0c", "end"]
)
TEXTS = st.builds(
    lambda lines, ending: "\n".join(lines) + ending,
    st.lists(LINES, max_size=30),
    st.sampled_from(["", "\n"]),
)


@st.composite
def edits(draw):
    """A text and an edited copy of it."""
    old = draw(TEXTS)
    lines = old.split("\n")
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(lines)))
        end = draw(st.integers(start, min(len(lines), start + 3)))
        lines[start:end] = draw(st.lists(LINES, max_size=3))
    return old, "\n".join(lines)


PAIRS = edits() | st.tuples(TEXTS, TEXTS)


def git_diff(folder: Path, old: str, new: str, *options: str) -> str:
    (folder / "old").write_bytes(old.encode())
    (folder / "new").write_bytes(new.encode())
    command = ["git", "diff", "--no-index", "--text", *options, "old", "new"]
    clean = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    outcome = subprocess.run(command, cwd=folder, env=clean, capture_output=True, check=False)
    return outcome.stdout.decode()


def hunks_of(unified: str) -> str:
    """A unified diff from its first hunk on, without the words git puts behind a header."""
    start = unified.find("\n@@")
    return re.sub(r"^(@@ .*? @@)[^\n]*", r"\1", unified[start + 1 :], flags=re.MULTILINE)


def lines_of(diff: TextDiff) -> list[Line]:
    return [line for hunk in diff.hunks for line in hunk.lines]


def spell(line: Line) -> str:
    return line.text + ("\r" if line.crlf else "") + ("" if line.no_newline else "\n")


def split(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def apply(diff: TextDiff, old: str) -> str:
    """Do to `old` what the diff's hunks say, checking what they say about it."""
    source, result, position = split(old), [], 0
    for hunk in diff.hunks:
        start = hunk.old_start - (1 if hunk.old_count else 0)
        result += source[position:start]
        assert len(result) == hunk.new_start - (1 if hunk.new_count else 0)
        kept = [line for line in hunk.lines if line.kind is not ADDED]
        assert [spell(line) for line in kept] == source[start : start + hunk.old_count]
        result += [spell(line) for line in hunk.lines if line.kind is not REMOVED]
        position = start + hunk.old_count
    return "".join(result + source[position:])


@settings(deadline=None)
@given(pair=PAIRS, context=st.integers(1, 5))
def test_hunks_agree_with_git(tmp_path_factory, pair, context):
    unified = unified_text(compare(*pair, context=context), "a/old", "b/new")
    theirs = git_diff(tmp_path_factory.getbasetemp(), *pair, f"-U{context}")
    assert hunks_of(unified) == hunks_of(theirs)


@settings(deadline=None)
@given(pair=PAIRS)
def test_counts_agree_with_git(tmp_path_factory, pair):
    numbers = git_diff(tmp_path_factory.getbasetemp(), *pair, "--numstat").split()[:2] or ["0", "0"]
    assert count_lines(*pair) == Counts(*map(int, numbers))


@given(pair=PAIRS, context=st.integers(0, 5))
def test_a_diff_applies_and_does_not_depend_on_its_context(pair, context):
    diff = compare(*pair, context=context)
    assert apply(diff, pair[0]) == pair[1]
    assert Counts(diff.added, diff.removed) == count_lines(*pair)
    kinds = [line.kind for line in lines_of(diff)]
    assert (kinds.count(ADDED), kinds.count(REMOVED)) == (diff.added, diff.removed)
    assert diff.hidden == 0
    assert diff.omitted == Omitted()


def test_git_applies_a_unified_diff(tmp_path):
    old, new = "one\ntwo\r\nthree\n\u2028 four", "one\ntwo\nthree\r\n\u2028 four\nfive"
    (tmp_path / "my notes").write_bytes(old.encode())
    patch = unified_text(compare(old, new), "a/my notes", "b/my notes")
    command = ["git", "apply", "-"]
    subprocess.run(command, cwd=tmp_path, input=patch.encode(), check=True)
    assert (tmp_path / "my notes").read_bytes().decode() == new


def test_a_unified_diff():
    diff = compare("a\nb\nc\n", "a\nB\nc")
    assert unified_text(diff, "a/x.md", "b/x.md") == (
        "--- a/x.md\n+++ b/x.md\n@@ -1,3 +1,3 @@\n a\n-b\n-c\n+B\n+c\n"
        "\\ No newline at end of file\n"
    )
    assert unified_text(compare("a", "a"), "a", "b") == ""


@pytest.mark.parametrize(
    ("old", "new", "header"),
    [
        ("", "a\n", "@@ -0,0 +1 @@"),
        ("a\nb\n", "", "@@ -1,2 +0,0 @@"),
        ("a\n" * 9, "a\n" * 9 + "b\n", "@@ -7,3 +7,4 @@"),
    ],
)
def test_headers(old, new, header):
    assert [hunk.header for hunk in compare(old, new).hunks] == [header]


def test_lines_end_at_lf_only():
    old = "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g\rh\x00i\n"
    diff = compare(old, old + "end\n")
    assert [(line.kind, line.text) for line in lines_of(diff)] == [
        (CONTEXT, old.removesuffix("\n")),
        (ADDED, "end"),
    ]


def test_endings_are_marked():
    removed, added = lines_of(compare("same\r\n", "same"))
    assert (removed.text, removed.crlf, removed.no_newline) == ("same", True, False)
    assert (added.text, added.crlf, added.no_newline) == ("same", False, True)
    (lone,) = lines_of(compare("", "lone\r"))
    assert (lone.text, lone.crlf, lone.no_newline) == ("lone\r", False, True)


def test_numbers_and_partners():
    diff = compare("keep\nthe old line\nend\n", "keep\nthe new line\nmore\nend\n")
    found = [(line.old_number, line.new_number, line.partner) for line in lines_of(diff)]
    assert found == [(1, 1, None), (2, None, 2), (None, 2, 2), (None, 3, None), (3, 4, None)]
    removed, added = lines_of(diff)[1:3]
    assert [removed.text[slice(*part)] for part in removed.ranges] == ["old"]
    assert [added.text[slice(*part)] for part in added.ranges] == ["new"]


# Whitespace


def test_ignoring_whitespace_tells_how_many_lines_it_hides():
    old, new = "a b\n  c\nd\r\n\te\nx\n", "a  b\nc \nd\ne\ny\n"
    diff = compare(old, new, ignore_whitespace=True)
    assert diff.hidden == 4
    assert (diff.added, diff.removed) == (1, 1)
    assert [line.text for line in lines_of(diff)] == ["c ", "d", "e", "x", "y"]


def test_ignoring_whitespace_keeps_words_apart():
    assert compare("the rapist\n", "therapist\n", ignore_whitespace=True).added == 1
    assert compare("a\u00a0b\n", "a b\n", ignore_whitespace=True).added == 1


def test_ignoring_whitespace_does_not_hide_the_end_of_the_file():
    diff = compare("a\nb", "a\n b \n", ignore_whitespace=True)
    assert (diff.added, diff.removed, diff.hidden) == (1, 1, 0)
    assert compare("a\n", "a\n\n", ignore_whitespace=True).added == 1


@given(PAIRS)
def test_whitespace_is_either_shown_or_counted(pair):
    diff = compare(*pair, ignore_whitespace=True, context=100)
    lines = lines_of(diff)
    old, new = split(pair[0]), split(pair[1])
    if lines:  # with this much context, all of both texts
        removed = {line.old_number for line in lines if line.kind is REMOVED}
        added = {line.new_number for line in lines if line.kind is ADDED}
        old = [line for number, line in enumerate(old, 1) if number not in removed]
        new = [line for number, line in enumerate(new, 1) if number not in added]
    assert len(old) == len(new)
    assert diff.hidden == sum(map(str.__ne__, old, new))
    assert (diff.added == diff.removed == diff.hidden == 0) is (pair[0] == pair[1])


# Limits


@given(pair=PAIRS, max_lines=st.integers(0, 12), max_bytes=st.integers(0, 60))
def test_what_is_not_rendered_is_counted(pair, max_lines, max_bytes):
    full = compare(*pair)
    part = compare(*pair, max_lines=max_lines, max_bytes=max_bytes)
    shown, everything = lines_of(part), lines_of(full)
    omitted = everything[len(shown) :]
    assert [spell(line) for line in shown] == [spell(line) for line in everything[: len(shown)]]
    assert len(shown) <= max_lines
    assert sum(len(spell(line).encode()) for line in shown) <= max_bytes
    assert part.omitted.lines == len(omitted)
    assert part.omitted.bytes == sum(len(spell(line).encode()) for line in omitted)
    assert (part.added, part.removed) == (full.added, full.removed)
    for hunk in part.hunks:
        kinds = [line.kind for line in hunk.lines]
        assert hunk.old_count == len(kinds) - kinds.count(ADDED)
        assert hunk.new_count == len(kinds) - kinds.count(REMOVED)


def two_symbols(seed: int, symbols: list[str], size: int) -> str:
    choose = random.Random(seed).choices(symbols, k=size)
    return "".join(choose)[:size]


def forged_lines(count: int) -> list[str]:
    """Lines that the hash function inside libgit2 cannot tell from each other."""
    blocks, state = [], 5381
    for _ in range(9):
        equal: dict[int, list[str]] = {}
        for one in range(33, 127):
            for other in range(33, 127):
                after = ((state * 33 ^ one) * 33 ^ other) & (2**64 - 1)
                equal.setdefault(after, []).append(chr(one) + chr(other))
        state = max(equal, key=lambda each: len(equal[each]))
        blocks.append(equal[state])
    lines = [""]
    for block in blocks:
        lines = [line + more for line in lines for more in block][:count]
    return lines


HOSTILE = {
    "one long line": ("x" * 102_400, "x" * 51_200 + "y" + "x" * 51_199),
    "long lines of words": ("ab " * 34_133, "ba " * 34_133),
    "50,000 lines of two symbols": (
        two_symbols(1, ["a\n", "b\n"], 51_200),
        two_symbols(2, ["a\n", "b\n"], 51_200),
    ),
    "just under the limit": (
        two_symbols(3, ["a\n", "\n"], 30_000),
        two_symbols(4, ["a\n", "\n"], 30_000),
    ),
    "nothing in common": ("a\n" * 51_200, "\n" * 102_400),
    "many words": (
        "\n".join("a " + two_symbols(seed, ["a ", "b "], 490) for seed in range(100)),
        "\n".join("b " + two_symbols(seed, ["a ", "b "], 490) for seed in range(100, 200)),
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_take_bounded_time(name):
    old, new = HOSTILE[name]
    start = process_time()
    diff = compare(old, new)
    for hunk in diff.hunks:
        split_rows(hunk)
    count_lines(old, new)
    # A fifth of a second on an idle machine. What grows faster than its text takes minutes.
    assert process_time() - start < PATIENCE
    assert diff.added
    assert diff.removed


def test_forged_hash_collisions_take_no_longer():
    lines = forged_lines(5_000)
    old, new = "\n".join(lines[:2500]), "\n".join(lines[2500:])
    start = process_time()
    assert count_lines(old, new) == Counts(2500, 2500)
    assert process_time() - start < PATIENCE


def test_beyond_the_limit_equal_ends_are_still_found():
    middle = two_symbols(5, ["a\n", "b\n"], 50_000)
    other = two_symbols(6, ["a\n", "b\n"], 50_000)
    diff = compare(f"head\n{middle}tail\n", f"head\n{other}tail\n", max_lines=10**6)
    assert apply(diff, f"head\n{middle}tail\n") == f"head\n{other}tail\n"
    kinds = [line.kind for line in lines_of(diff)]
    assert (kinds[0], kinds[-1]) == (CONTEXT, CONTEXT)


# Side by side


@given(PAIRS)
def test_rows_hold_each_line_once_and_in_order(pair):
    for hunk in compare(*pair).hunks:
        rows = split_rows(hunk)
        left = [row.left for row in rows if row.left]
        right = [row.right for row in rows if row.right]
        assert left == [line for line in hunk.lines if line.kind is not ADDED]
        assert right == [line for line in hunk.lines if line.kind is not REMOVED]
        assert not any(row == Row(None, None) for row in rows)
        for row in rows:
            if row.left and row.left.partner:
                assert row.right
                assert row.right.new_number == row.left.partner
                assert row.right.partner == row.left.old_number


def test_partners_share_a_row():
    old = "the first line\nthe second line\n"
    new = "something else\nthe second row\nand more\n"
    (hunk,) = compare(old, new).hunks
    texts = [(row.left and row.left.text, row.right and row.right.text) for row in split_rows(hunk)]
    assert texts == [
        ("the first line", "something else"),
        ("the second line", "the second row"),
        (None, "and more"),
    ]


# Gaps


LONG = [f"line {number}\n" for number in range(1, 101)]


def _changed(*numbers):
    return "".join(f"LINE {n}\n" if n in numbers else line for n, line in enumerate(LONG, 1))


def test_gaps_are_counted():
    diff = compare("".join(LONG), _changed(20, 60))
    assert [(gap.number, gap.hidden) for gap in diff.gaps] == [(0, 16), (1, 33), (2, 37)]
    assert compare("a\n", "b\n").gaps == ((0, 0, Opened(), False), (1, 0, Opened(), True))
    assert compare("a\n", "a\n").gaps == ()


def test_gaps_open_step_by_step():
    old, new = "".join(LONG), _changed(20, 60)
    diff = compare(old, new, opened={0: Opened(5, 10), 1: Opened(20, 3), 2: Opened(7, 9)})
    assert [gap.hidden for gap in diff.gaps] == [6, 10, 30]
    assert [hunk.header for hunk in diff.hunks] == ["@@ -7,37 +7,37 @@", "@@ -54,17 +54,17 @@"]


def test_hunks_that_meet_are_one():
    old, new = "".join(LONG), _changed(20, 60)
    diff = compare(old, new, opened={0: Opened(0, 999), 1: Opened(13, 999), 2: Opened(999, 0)})
    (hunk,) = diff.hunks
    assert [line.new_number for line in hunk.lines if line.new_number] == list(range(1, 101))
    assert [(gap.number, gap.hidden) for gap in diff.gaps] == [(0, 0), (2, 0)]


@given(PAIRS, st.dictionaries(st.integers(0, 4), st.tuples(st.integers(0, 9), st.integers(0, 9))))
def test_opened_gaps_only_add_context(pair, opened):
    closed = compare(*pair)
    wide = compare(*pair, opened={number: Opened(*size) for number, size in opened.items()})
    changed = [line for line in lines_of(closed) if line.kind is not CONTEXT]
    assert [line for line in lines_of(wide) if line.kind is not CONTEXT] == changed
    shown = sum(line.kind is not ADDED for line in lines_of(wide))
    assert shown + sum(gap.hidden for gap in wide.gaps) == (len(split(pair[0])) if changed else 0)
