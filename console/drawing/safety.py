"""What a page's texts hold that a reviewer may miss, by concern, with links to the lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from console.drawing.diffs import Diff, FileDiff
from console.links import document_url
from memory.textsafety.concerns import Concern, Finding
from memory.textsafety.scanning import Scan, total_counts

MENTIONED: Final = 20
"""Findings of one concern that a page links to; it counts the rest."""

_ORDER: Final = {concern: place for place, concern in enumerate(Concern)}


@dataclass(frozen=True, slots=True)
class Wording:
    """How a concern is told: one, many, an icon, a tone, and what it means for a reader."""

    one: str
    many: str
    icon: str
    tone: str
    meaning: str


WORDINGS: Final = {
    Concern.BIDI_CONTROLS: Wording(
        "bidirectional control",
        "bidirectional controls",
        "arrows-right-left",
        "bad",
        "They turn the reading order: what you read is not what an agent reads.",
    ),
    Concern.INVISIBLE_CHARACTERS: Wording(
        "invisible character",
        "invisible characters",
        "eye-slash",
        "bad",
        "They draw nothing; an agent reads them all the same.",
    ),
    Concern.TAG_CHARACTERS: Wording(
        "tag or selector character",
        "tag and selector characters",
        "tag",
        "bad",
        "They can carry whole sentences that nobody sees.",
    ),
    Concern.SECRETS: Wording(
        "likely secret",
        "likely secrets",
        "key",
        "bad",
        "They look like credentials. Nobody has tried them.",
    ),
    Concern.LOOKALIKES: Wording(
        "look-alike",
        "look-alikes",
        "language",
        "warn",
        "They stand in a word of another script and look like its letters.",
    ),
    Concern.MISLEADING_LINKS: Wording(
        "misleading link",
        "misleading links",
        "link",
        "warn",
        "Their words are one address and their target is another.",
    ),
    Concern.HTML_COMMENTS: Wording(
        "HTML comment",
        "HTML comments",
        "chat-bubble-bottom-center-text",
        "info",
        "Rendered pages leave them out; an agent reads them.",
    ),
    Concern.AGENT_INSTRUCTIONS: Wording(
        "instruction to an agent",
        "instructions to an agent",
        "cpu-chip",
        "info",
        "It sounds so, and may be a quotation.",
    ),
}


@dataclass(frozen=True, slots=True)
class Mention:
    """One finding as a page tells it. `url` leads to its line."""

    finding: Finding
    path: str
    url: str


@dataclass(frozen=True, slots=True)
class Group:
    """All findings of one concern.

    Attributes:
        mentions: the first of them.
    """

    concern: Concern
    count: int
    mentions: Sequence[Mention]

    @property
    def has_more(self) -> bool:
        """Whether not all that was counted is mentioned."""
        return self.count > sum(mention.finding.size for mention in self.mentions)

    @property
    def wording(self) -> Wording:
        return WORDINGS[self.concern]

    @property
    def words(self) -> str:
        """The name of what was counted."""
        return self.wording.one if self.count == 1 else self.wording.many


@dataclass(frozen=True, slots=True)
class Loud:
    """What is announced before a decision."""

    hidden: int
    secrets: int

    def __bool__(self) -> bool:
        """Whether there is anything to announce."""
        return bool(self.hidden or self.secrets)

    @property
    def words(self) -> str:
        """`3 hidden characters and 1 likely secret`."""
        return " and ".join(filter(None, (self.hidden_words, self.secret_words)))

    @property
    def hidden_words(self) -> str:
        return _counted(self.hidden, "hidden character")

    @property
    def secret_words(self) -> str:
        return _counted(self.secrets, "likely secret")


@dataclass(frozen=True, slots=True)
class Report:
    """What is told of the texts of a page.

    Attributes:
        texts: how many were looked over.
        unread: how many were not, because the page does not load them.
        is_complete: whether the search for secrets went through all that were.
    """

    groups: Sequence[Group]
    texts: int
    unread: int
    is_complete: bool

    @property
    def loud(self) -> Loud:
        """What is announced before a decision."""
        return loud_in({group.concern: group.count for group in self.groups})


def report_on_diff(diff: Diff, store_id: str) -> Report:
    """Tell what the new texts of a diff hold."""
    scanned = [(file, file.scan) for file in diff.files if file.scan is not None]
    mentions = [
        Mention(finding, file.change.path, _url(file, finding, diff.head, store_id))
        for file, found in scanned
        for finding in found.findings
    ]
    unread = sum(file.is_unread for file in (*diff.files, *diff.rest))
    return _report([found for _, found in scanned], mentions, unread)


def report_on_text(found: Scan, path: str, source: str) -> Report:
    """Tell what one document holds.

    Args:
        source: the address of its source view, where every line has an anchor.
    """
    mentions = [Mention(each, path, f"{source}#L{each.line}") for each in found.findings]
    return _report([found], mentions)


def loud_in(counts: Mapping[Concern, int] | Mapping[str, int]) -> Loud:
    """What is loud among the counts of a text or of a Proposal."""
    hidden = sum(counts.get(concern, 0) for concern in Concern if concern.is_hidden)
    return Loud(hidden, counts.get(Concern.SECRETS, 0))


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}" if count else ""


def _url(file: FileDiff, finding: Finding, head: str, store_id: str) -> str:
    """The line in the diff, or in the document where the diff does not show it."""
    if finding.line in file.shown_numbers:
        return f"#{file.line_anchor(finding.line)}"
    source = document_url(store_id, file.change.path, head, view="source")
    return f"{source}#L{finding.line}"


def _report(scans: Sequence[Scan], mentions: Sequence[Mention], unread: int = 0) -> Report:
    groups = [
        Group(concern, count, _first(concern, mentions))
        for concern, count in sorted(total_counts(scans).items(), key=_rank)
    ]
    return Report(groups, len(scans), unread, all(each.is_complete for each in scans))


def _rank(counted: tuple[Concern, int]) -> int:
    return _ORDER[counted[0]]


def _first(concern: Concern, mentions: Sequence[Mention]) -> list[Mention]:
    return [each for each in mentions if each.finding.concern is concern][:MENTIONED]
