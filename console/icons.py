"""The small signs that stand beside words."""

from functools import cache
from html import escape

from django.utils.safestring import SafeString
from heroicons.templatetags.heroicons import heroicon_micro


def icon(name: str, css: str = "icon") -> SafeString:
    """A decorative icon: hidden from assistive technology, words stand beside it."""
    return _drawn(str(name), str(css))


@cache
def _drawn(name: str, css: str) -> SafeString:
    return SafeString(heroicon_micro(name, size=16, **{"class": css}))


def copy_button(value: str, label: str = "", *, lines: bool = False) -> SafeString:
    """A button that copies `value`; it is not there without scripting.

    Args:
        lines: `value` is a document's address; the lines that are picked go with it.
    """
    copied = escape(value)
    link = f' data-lines-link="{copied}"' if lines else ""
    return SafeString(
        f'<button type="button" class="copy" data-copy="{copied}"{link}'
        f' aria-label="Copy {escape(label or value)}" title="Copy">'
        f"{icon('square-2-stack', 'icon idle')}{icon('check', 'icon done')}</button>"
    )
