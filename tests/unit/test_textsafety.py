"""console.md, text safety: nothing hidden stays hidden, and ordinary writing stays quiet."""

import unicodedata
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.textsafety.characters import (
    Kind,
    counts,
    hidden_kind,
    make_visible,
    reveal,
    runs,
)
from memory.textsafety.lookalikes import drawn_like
from tests.patience import PATIENCE

AWKWARD = st.text(
    "ab\n\r\t \x00\x07\x85\u200b\u200d\u202e\u2028\ufeff\ufe0f\U000e0041\U000e0100"
    "\u0441\U0001f469\U0001f4bb"
)


@pytest.mark.parametrize(
    ("character", "kind"),
    [
        ("\u061c", Kind.BIDI_CONTROL),
        ("\u200e", Kind.BIDI_CONTROL),
        ("\u202e", Kind.BIDI_CONTROL),
        ("\u2066", Kind.BIDI_CONTROL),
        ("\u00ad", Kind.ZERO_WIDTH),
        ("\u200b", Kind.ZERO_WIDTH),
        ("\u200c", Kind.ZERO_WIDTH),
        ("\u2060", Kind.ZERO_WIDTH),
        ("\u3164", Kind.ZERO_WIDTH),
        ("\ufeff", Kind.ZERO_WIDTH),
        ("\U000e0001", Kind.TAG),
        ("\U000e0041", Kind.TAG),
        ("\ufe00", Kind.VARIATION_SELECTOR),
        ("\U000e0100", Kind.VARIATION_SELECTOR),
        ("\x00", Kind.CONTROL),
        ("\x1b", Kind.CONTROL),
        ("\x7f", Kind.CONTROL),
        ("\x9b", Kind.CONTROL),
        ("\u2028", Kind.CONTROL),
    ],
)
def test_kinds(character, kind):
    assert hidden_kind(character) == kind
    assert counts(f"a{character}b") == {kind: 1}
    assert kind.hidden


@pytest.mark.parametrize(
    "text",
    [
        "plain\ttext\r\nwith lines\n",
        "na\u00efve caf\u00e9 \u2014 \u201cquoted\u201d\u2026 \u00a0",
        "\u4e2d\u6587 \u65e5\u672c\u8a9e \ud55c\uad6d\uc5b4 \u0627\u0644\u0639\u0631\u0628",
        "\u0420\u0443\u0441\u0441\u043a\u0438\u0439 and English",
        "5 \u03bcm, \u0394x, \u03c0r",
        "\u26a0\ufe0f \u00a9\ufe0f 1\ufe0f\u20e3 \U0001f469\u200d\U0001f4bb",
        "\u2764\ufe0f\u200d\U0001f525",
        "\U0001f469\U0001f3fd\u200d\U0001f680 \U0001f3f3\ufe0f\u200d\U0001f308",
    ],
)
def test_ordinary_writing_is_quiet(text):
    assert list(runs(text)) == []
    assert reveal(text) == text
    assert [segment.text for segment in make_visible(text)] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "a\ufe0fb",
        "\ufe0f",
        "\u26a0\ufe0f\ufe0f",
        "a\u200db",
        "\ufe0f\u200d\ufe0f",
        "\ufe0f\u200d\U0001f4bb",
        "\U0001f469\u200d",
        "\U0001f469\u200d\u200d\U0001f4bb",
        "\u200d\U0001f4bb",
        "\ufeffbegins",
        "lone\rreturn",
    ],
)
def test_what_only_looks_like_ordinary_writing(text):
    assert any(kind.hidden for kind in counts(text))


@pytest.mark.parametrize(
    ("word", "marked"),
    [
        ("p\u0430ypal", "\u0430"),
        ("\u0410dmin", "\u0410"),
        ("g\u03bf\u03bfgle", "\u03bf\u03bf"),
        ("\u043f\u0440\u043ewet\u0431\u0443", "wet"),
        ("\u0441\u043ede", "\u0441\u043e"),
    ],
)
def test_mixed_scripts_are_a_quiet_kind(word, marked):
    text = f"see {word} here"
    found = list(runs(text))
    assert "".join(text[run.start : run.end] for run in found) == marked
    assert {run.kind for run in found} == {Kind.LOOKALIKE}
    assert not Kind.LOOKALIKE.hidden
    assert reveal(word) == word


@pytest.mark.parametrize(
    ("letter", "like"),
    [
        ("\u0430", "a"),
        ("\u03bf", "o"),
        ("\u13aa", "A"),
        ("\U0001d429", "p"),
        ("\uff41", "a"),
        ("\u0436", None),
    ],
)
def test_a_lookalike_says_what_it_is_drawn_like(letter, like):
    label = make_visible(f"x{letter}x")[1].label if like else ""
    assert drawn_like(letter) == like
    assert label.endswith(f"drawn like {like}") or not like


def test_segments_carry_labels():
    hidden = "".join(chr(0xE0000 + ord(character)) for character in "obey")
    segments = make_visible(f"a\u202eb{hidden}c\u200b\u200bd")
    assert [(segment.text, segment.kind, segment.label) for segment in segments] == [
        ("a", None, ""),
        ("\u202e", Kind.BIDI_CONTROL, "U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("b", None, ""),
        (hidden, Kind.TAG, "tag characters that spell \u201cobey\u201d"),
        ("c", None, ""),
        ("\u200b\u200b", Kind.ZERO_WIDTH, "U+200B ZERO WIDTH SPACE and 1 more"),
        ("d", None, ""),
    ]


def test_segments_end_where_changes_do():
    segments = make_visible("one two\u200b three", [(4, 8), (9, 12)])
    assert [(segment.text, segment.changed) for segment in segments] == [
        ("one ", False),
        ("two", True),
        ("\u200b", True),
        (" ", False),
        ("thr", True),
        ("ee", False),
    ]


def test_revealed_text_names_what_it_hid():
    assert reveal("a\u202eb\u200b\u200b\u200bc") == "a⟦U+202E⟧b⟦U+200B +2⟧c"


@given(AWKWARD)
def test_segments_are_the_text(text):
    segments = make_visible(text)
    assert "".join(segment.text for segment in segments) == text
    assert all(segment.text for segment in segments)
    assert all(bool(segment.label) == (segment.kind is not None) for segment in segments)


@given(AWKWARD | st.text())
def test_a_revealed_text_hides_nothing(text):
    shown = reveal(text)
    assert not any(kind.hidden for kind in counts(shown))
    assert reveal(shown) == shown


def test_every_format_character_of_unicode_counts_unless_it_is_drawn():
    drawn = set(range(0x600, 0x606)) | {0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
    drawn |= set(range(0x13430, 0x13440))  # hieroglyph joiners arrange visible signs
    missed = {
        code
        for code in range(0x110000)
        if unicodedata.category(chr(code)) == "Cf" and hidden_kind(chr(code)) is None
    }
    assert missed <= drawn


@pytest.mark.parametrize(
    "text",
    ["\x01" * 102_400, "a\x01" * 51_200, "p\u0430" * 34_000, "a" * 102_400, "\n\u200b" * 25_000],
    ids=["controls", "alternating", "mixed word", "one word", "many lines"],
)
def test_hostile_texts_take_bounded_time(text):
    start = process_time()
    counts(text)
    make_visible(text)
    reveal(text)
    # A third of a second on an idle machine. What grows faster than its text takes minutes.
    assert process_time() - start < PATIENCE
