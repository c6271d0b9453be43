"""Messages to workers: Celery's, with types, and without waiting for a broker that is not there."""

import functools
import logging
from collections.abc import Callable
from functools import partial
from typing import Final

from django.db import transaction
from kombu.exceptions import OperationalError

from database.transactions import step
from jobs.celery import app

logger = logging.getLogger(__name__)

RUN: Final = "jobs.run"
"""Asks a worker to work on the job whose ID it carries."""


def answers[**P](name: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Make a function what a worker calls when a message of that name arrives.

    What it raises is logged by us, for Celery would quote the exception (contract X5).
    """

    def decorate(function: Callable[P, None]) -> Callable[P, None]:
        @functools.wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> None:
            try:
                function(*args, **kwargs)
            except Exception:
                logger.exception("%s failed", name)

        app.task(name=name)(run)
        return function

    return decorate


@step
def offer(job_id: str) -> None:
    """Wake a worker for a job once the transaction at hand has committed."""
    send_after_commit(RUN, job_id)


@step
def send_after_commit(name: str, row: str | int) -> None:
    """Send a message about a row once the transaction at hand has committed."""
    transaction.on_commit(partial(send, name, row))


def wake(job_id: str) -> None:
    """Wake a worker now; a broker that cannot be reached only delays it until the next sweep."""
    send(RUN, job_id)


def send(name: str, row: str | int) -> None:
    """Send a message about a row now; if the broker cannot be reached, a sweep finds the row."""
    try:
        app.send_task(name, args=[row])
    except OperationalError:
        logger.warning("the broker cannot be reached; the sweep will offer %s again", row)
