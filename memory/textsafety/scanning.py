"""All concerns of a text at once: counted, and the first of each placed."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from memory.textsafety.characters import Run, label_of, runs
from memory.textsafety.concerns import CONCERN_OF, Concern, Finding
from memory.textsafety.instructions import agent_instructions
from memory.textsafety.markup import comments, misleading_links
from memory.textsafety.secrets import Budget, find_secrets

PLACED: Final = 100
"""Findings of each concern in a text that are placed; the rest are counted."""

SECONDS: Final = 0.15
"""How long one text is searched for secrets."""


@dataclass(frozen=True, slots=True)
class Scan:
    """What a text holds that a reviewer may miss.

    Attributes:
        counts: how much there is of each concern; those without any are left out. Hidden
            characters and look-alikes are counted one by one.
        findings: the first of each, by line and column.
        is_complete: whether all of the text was searched for secrets.
    """

    counts: Mapping[Concern, int]
    findings: Sequence[Finding]
    is_complete: bool

    def __bool__(self) -> bool:
        """Whether anything was found."""
        return bool(self.counts)


def scan(text: str, budget: Budget | None = None) -> Scan:
    """Look a text over.

    Args:
        budget: time for the search for secrets; one of its own when left out.
    """
    secrets, is_complete = find_secrets(text, budget or Budget(SECONDS))
    tally = _Tally()
    for run in runs(text):
        tally.add_run(run, text)
    for concern, spots in (
        (Concern.SECRETS, sorted(secrets.items())),
        (Concern.HTML_COMMENTS, comments(text)),
        (Concern.MISLEADING_LINKS, misleading_links(text)),
        (Concern.AGENT_INSTRUCTIONS, agent_instructions(text)),
    ):
        for at, what in spots:
            tally.add(concern, at, what)
    return Scan(tally.totals, list(tally.findings(text)), is_complete)


def total_counts(scans: Iterable[Scan]) -> Counter[Concern]:
    """The counts of some texts together."""
    total: Counter[Concern] = Counter()
    for each in scans:
        total.update(each.counts)
    return total


class _Tally:
    """Counts what is added, and keeps the first of each concern."""

    def __init__(self) -> None:
        self.totals: Counter[Concern] = Counter()
        self._added: Counter[Concern] = Counter()
        self._kept: list[tuple[int, Concern, str, int]] = []

    def add_run(self, run: Run, text: str) -> None:
        concern, size = CONCERN_OF[run.kind], run.end - run.start
        if self._added[concern] < PLACED:
            self.add(concern, run.start, label_of(text[run.start : run.end], run.kind), size)
        else:
            self.totals[concern] += size

    def add(self, concern: Concern, at: int, what: str, size: int = 1) -> None:
        self.totals[concern] += size
        self._added[concern] += 1
        if self._added[concern] <= PLACED:
            self._kept.append((at, concern, what, size))

    def findings(self, text: str) -> Iterator[Finding]:
        """What was kept, in order. Lines are looked for only when there is anything to place."""
        starts = _line_starts(text) if self._kept else []
        for at, concern, what, size in sorted(self._kept):
            line = bisect_right(starts, at)
            yield Finding(concern, line, at - starts[line - 1] + 1, what, size)


def _line_starts(text: str) -> list[int]:
    starts = [0]
    while (end := text.find("\n", starts[-1])) >= 0:
        starts.append(end + 1)
    return starts
