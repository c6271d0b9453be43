"""The names of the messages that wake a worker for notices. They carry the number of a row."""

from typing import Final

SPREAD: Final = "notices.spread"
"""Asks a worker to tell people of what stands in an entry of the outbox."""

SEND: Final = "notices.send"
"""Asks a worker to send a letter."""
