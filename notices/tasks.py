"""What a worker does when a message about notices arrives."""

from jobs.messages import answers, send
from notices import posting, spreading, sweeping
from notices.messages import SEND, SPREAD


@answers(SPREAD)
def spread(entry_id: int) -> None:
    """Tell everybody whom an entry of the outbox concerns."""
    spreading.spread(entry_id)


@answers(SEND)
def send_letter(letter_id: int) -> None:
    """Send a letter."""
    posting.send_letter(letter_id)


@answers("notices.sweep")
def sweep() -> None:
    """Send the messages again about what was left in the outbox, and about letters that are due."""
    for entry_id in sweeping.left_entries():
        send(SPREAD, entry_id)
    for letter_id in sweeping.due_letters():
        send(SEND, letter_id)
