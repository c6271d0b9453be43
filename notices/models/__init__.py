"""What is still to be told, what was told, and how people want to be told. Identifiers alone."""

from notices.models.letters import Ending, Letter, LetterKind
from notices.models.notices import Notice, NoticeKind, Reason
from notices.models.outbox import OutboxEntry
from notices.models.preferences import Channel, Preferences, Rhythm

__all__ = [
    "Channel",
    "Ending",
    "Letter",
    "LetterKind",
    "Notice",
    "NoticeKind",
    "OutboxEntry",
    "Preferences",
    "Reason",
    "Rhythm",
]
