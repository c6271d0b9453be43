"""What a reviewer is told of: the concerns, and the findings of each."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memory.textsafety.characters import Kind


class Concern(StrEnum):
    """A class of things in a text that a reviewer may miss; the API counts by these words."""

    BIDI_CONTROLS = "bidi_controls"
    INVISIBLE_CHARACTERS = "invisible_characters"
    TAG_CHARACTERS = "tag_characters"
    SECRETS = "secrets"
    LOOKALIKES = "lookalikes"
    MISLEADING_LINKS = "misleading_links"
    HTML_COMMENTS = "html_comments"
    AGENT_INSTRUCTIONS = "agent_instructions"

    @property
    def is_loud(self) -> bool:
        """Whether it is announced before a decision, and not only listed."""
        return self in _LOUD

    @property
    def is_hidden(self) -> bool:
        """Whether it is about characters that draw nothing."""
        return self in _HIDDEN


_HIDDEN: Final = {
    Concern.BIDI_CONTROLS,
    Concern.INVISIBLE_CHARACTERS,
    Concern.TAG_CHARACTERS,
}
_LOUD: Final = _HIDDEN | {Concern.SECRETS}

CONCERN_OF: Final = {
    Kind.BIDI_CONTROL: Concern.BIDI_CONTROLS,
    Kind.ZERO_WIDTH: Concern.INVISIBLE_CHARACTERS,
    Kind.CONTROL: Concern.INVISIBLE_CHARACTERS,
    Kind.TAG: Concern.TAG_CHARACTERS,
    # They carry hidden bytes as tag characters do; those that shape an emoji are not found.
    Kind.VARIATION_SELECTOR: Concern.TAG_CHARACTERS,
    Kind.LOOKALIKE: Concern.LOOKALIKES,
}
"""What a kind of characters counts as."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something found in a text.

    Attributes:
        line, column: from 1; lines end at LF only, columns count code points.
        what: what to say of it. It may quote the text: answer it, never log it.
        size: how much of it there is: characters of a run, else 1.
    """

    concern: Concern
    line: int
    column: int
    what: str
    size: int = 1
