"""What was found in a line, said at its end. Characters are marked where they stand; what they
need is a name for links to lead to."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from console.drawing.visible import visible_text
from memory.textsafety.concerns import Concern, Finding
from memory.textsafety.scanning import Scan

type Notes = Mapping[int | None, SafeString]
"""The end of a line as HTML, by its number from 1."""

NO_NOTES: Final[Notes] = {}

_WORDS: Final = {
    Concern.SECRETS: ("bad", "secret"),
    Concern.MISLEADING_LINKS: ("warn", "link"),
    Concern.HTML_COMMENTS: ("info", "comment"),
    Concern.AGENT_INSTRUCTIONS: ("info", "instruction"),
}


def notes_on(scan: Scan, anchor: Callable[[int], str] | None = None) -> Notes:
    """The notes of a text.

    Args:
        anchor: what to name a line; None where its row has a name already.
    """
    by_line: dict[int, list[Finding]] = defaultdict(list)
    for finding in scan.findings:
        by_line[finding.line].append(finding)
    return {
        line: format_html("{}{}", _name(anchor(line)) if anchor else "", _tags(findings))
        for line, findings in by_line.items()
    }


def _name(anchor: str) -> SafeString:
    return format_html('<span class="found" id="{}"></span>', anchor)


def _tags(findings: list[Finding]) -> SafeString:
    told = dict.fromkeys(
        (*_WORDS[each.concern], each.what) for each in findings if each.concern in _WORDS
    )
    return format_html_join(
        "",
        '<span class="finding" data-tone="{}">{}: {}</span>',
        ((tone, word, visible_text(what)) for tone, word, what in told),
    )
