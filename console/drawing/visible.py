"""Document text as HTML in which nothing hides: escaped once, hidden characters shown.

Drawn for every line of every diff, so it joins strings instead of formatting them.
"""

from collections.abc import Iterable, Sequence
from html import escape

from django.utils.safestring import SafeString

from memory.diffs.intraline import Range
from memory.textsafety.characters import Kind, Segment, make_visible


def visible_text(text: str, changed: Sequence[Range] = ()) -> SafeString:
    """Spell a line or text for a code cell.

    Args:
        changed: ranges that a diff marks, in code points of `text`.
    """
    if text.isascii() and text.isprintable():
        return SafeString(_marked(text, changed) if changed else escape(text))
    return spell(make_visible(text, changed))


def _marked(text: str, changed: Sequence[Range]) -> str:
    """A text in which nothing hides, with what a diff marks."""
    pieces, done = [], 0
    for start, end in changed:
        pieces.append(f"{escape(text[done:start])}<mark>{escape(text[start:end])}</mark>")
        done = end
    return "".join([*pieces, escape(text[done:])])


def spell(segments: Iterable[Segment]) -> SafeString:
    """Turn segments into HTML."""
    return SafeString("".join(map(_spell_segment, segments)))


def _spell_segment(segment: Segment) -> str:
    shown = _spell_kind(segment)
    return f"<mark>{shown}</mark>" if segment.changed else shown


def _spell_kind(segment: Segment) -> str:
    if segment.kind is None:
        return escape(segment.text)
    hidden = segment.kind.hidden
    css = "hidden-char" if hidden else "lookalike"
    shown = _marker(segment) if hidden else segment.text
    return f'<span class="{css}" title="{escape(segment.label)}">{escape(shown)}</span>'


def _marker(segment: Segment) -> str:
    """What stands in the line: tag characters say what they spell, the rest their number."""
    if segment.kind is Kind.TAG:
        return segment.label
    more = len(segment.text) - 1
    code = f"U+{ord(segment.text[0]):04X}"
    return f"{code} +{more}" if more else code
