"""Sending letters: claimed in one transaction, sent between two, ended in the next.

A worker that dies in between leaves a letter that is tried again after its claim. So a letter may
come twice where the mail server took it and we never heard; it has the same Message-ID then.
"""

import logging
from datetime import timedelta
from smtplib import SMTPException
from typing import Final

from django.core.mail import EmailMessage
from django.db.models import QuerySet

from database.transactions import durable
from notices.letters import compose
from notices.models import Ending, Letter
from wire.times import now

logger = logging.getLogger(__name__)

CLAIM: Final = timedelta(minutes=5)
"""How long whoever tries to send a letter keeps others from it."""

ATTEMPTS: Final = 8
"""How often a letter is tried; the pauses double from a minute, so that is about two hours."""


def send_letter(letter_id: int) -> None:
    """Send a letter that is due, unless it has nothing to say any more or somebody else is at it.

    What the mail server refuses is tried again later.
    """
    letter = _claim(letter_id)
    if letter is None:
        return
    message = compose(letter)
    if message is None:
        _end(letter, Ending.DROPPED)
    elif _is_sent(letter, message):
        _end(letter, Ending.SENT)
    elif letter.attempts >= ATTEMPTS:
        _end(letter, Ending.FAILED)
    else:
        _put_off(letter)


def _is_sent(letter: Letter, message: EmailMessage) -> bool:
    try:
        message.send(using="default")
    except (SMTPException, OSError, ValueError) as error:
        # A ValueError is an address that cannot be spelled for a mail server. Only types are told:
        # what a server answers quotes the address (contract X5).
        logger.warning("letter %s was not sent: %s", letter.id, type(error).__name__)
        return False
    return True


@durable
def _claim(letter_id: int) -> Letter | None:
    rows = Letter.objects.select_for_update(skip_locked=True, of=("self",))
    due = rows.filter(id=letter_id, ended=None, due_at__lte=now())
    letter = due.select_related("principal__workspace", "principal__user").first()
    if letter is None:
        return None
    letter.attempts += 1
    Letter.objects.filter(id=letter.id).update(attempts=letter.attempts, due_at=now() + CLAIM)
    return letter


@durable
def _end(letter: Letter, ending: Ending) -> None:
    _ours(letter).update(ended=ending, ended_at=now())


@durable
def _put_off(letter: Letter) -> None:
    pause = timedelta(minutes=2 ** (letter.attempts - 1))
    _ours(letter).update(due_at=now() + pause)


def _ours(letter: Letter) -> QuerySet[Letter]:
    """The letter, unless somebody else has claimed it since."""
    return Letter.objects.filter(id=letter.id, attempts=letter.attempts, ended=None)
