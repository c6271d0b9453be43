"""Secrets in a text, found by Betterleaks: in this process, by patterns alone, unverified.

Its library is loaded at the first search of a process, since its runtime does not survive a fork.
It is linear in a text, yet slow where thousands of lines look like a secret and are none: texts are
searched window by window, as long as a budget lasts.
"""

import re
from collections.abc import Iterator
from time import monotonic
from typing import Final

import betterleaks

WINDOW: Final = 8_192
STRIDE: Final = 4_096
"""Code points that are searched at a time, and from one window to the next: a secret of up to
their difference, such as a private key, lies wholly in one window."""

# What the detector itself takes for plain prose, such as `password: see below`.
_UNLIKELY: Final = "low"

# Words that make the detector skip a line, and a character that ends a text for C: an author must
# have neither.
_SILENCERS: Final = re.compile(r"(?:gitleaks|betterleaks):allow|\x00", re.IGNORECASE)


class Budget:
    """Time for searching; one for all texts of a page.

    Args:
        seconds: how long all searches together may take.
    """

    def __init__(self, seconds: float) -> None:
        self._left = seconds

    @property
    def is_spent(self) -> bool:
        """Whether it is time to stop."""
        return self._left <= 0

    def spend(self, seconds: float) -> None:
        """Note how long a search took."""
        self._left -= seconds


def find_secrets(text: str, budget: Budget) -> tuple[dict[int, str], bool]:
    """Find what looks like a credential.

    Returns:
        The kind of each secret by its offset, and whether the whole text was searched.
    """
    found: dict[int, str] = {}
    audible = _audible(text)
    for start in range(0, max(1, len(audible) - (WINDOW - STRIDE)), STRIDE):
        if budget.is_spent:
            return found, False
        began = monotonic()
        try:
            found |= _search(audible[start : start + WINDOW], start)
        except betterleaks.BetterleaksError:
            return found, False
        budget.spend(monotonic() - began)
    return found, True


def _audible(text: str) -> str:
    if "\x00" not in text and ":allow" not in text.lower():
        return text
    return _SILENCERS.sub(lambda match: "-" * len(match[0]), text)


def _search(window: str, offset: int) -> dict[int, str]:
    likely = [
        finding for finding in betterleaks.scan_string(window) if finding.confidence != _UNLIKELY
    ]
    if not likely:
        return {}
    starts = list(_line_starts(window))
    return {
        offset + _place(window, starts[finding.location.start_line - 1], finding): _spell(
            finding.rule_id
        )
        for finding in likely
    }


def _line_starts(text: str) -> Iterator[int]:
    yield 0
    yield from (match.end() for match in re.finditer("\n", text))


def _place(window: str, line_start: int, finding: betterleaks.Finding) -> int:
    """The detector counts columns in bytes."""
    line = window[line_start:].partition("\n")[0].encode()
    before = line[: finding.location.start_column - 1]
    return line_start + len(before.decode(errors="ignore"))


def _spell(rule: str) -> str:
    return rule.replace("-", " ")
