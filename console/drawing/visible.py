"""Document text as HTML in which nothing hides: escaped once, hidden characters shown."""

from collections.abc import Iterable, Sequence

from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

from memory.diffs.intraline import Range
from memory.textsafety.characters import Kind, Segment, make_visible


def visible_text(text: str, changed: Sequence[Range] = ()) -> SafeString:
    """Spell a line or text for a code cell.

    Args:
        changed: ranges that a diff marks, in code points of `text`.
    """
    if not changed and text.isascii() and text.isprintable():
        return SafeString(conditional_escape(text))
    return spell(make_visible(text, changed))


def spell(segments: Iterable[Segment]) -> SafeString:
    """Turn segments into HTML."""
    return format_html_join("", "{}", ((_spell_segment(segment),) for segment in segments))


def _spell_segment(segment: Segment) -> SafeString:
    shown = _spell_kind(segment)
    return format_html("<mark>{}</mark>", shown) if segment.changed else shown


def _spell_kind(segment: Segment) -> SafeString:
    if segment.kind is None:
        return SafeString(conditional_escape(segment.text))
    if segment.kind.hidden:
        return format_html(
            '<span class="hidden-char" title="{}">{}</span>', segment.label, _marker(segment)
        )
    return format_html('<span class="lookalike" title="{}">{}</span>', segment.label, segment.text)


def _marker(segment: Segment) -> str:
    """What stands in the line: tag characters say what they spell, the rest their number."""
    if segment.kind is Kind.TAG:
        return segment.label
    more = len(segment.text) - 1
    code = f"U+{ord(segment.text[0]):04X}"
    return f"{code} +{more}" if more else code
