"""Waiting for a Session's next event, as long as a thread can be spared for it."""

from collections.abc import Callable
from threading import BoundedSemaphore
from time import monotonic, sleep
from typing import Final

from django.conf import settings
from django.db import connection

from sessions.models import Session

SECONDS_BETWEEN_LOOKS: Final = 0.25

_threads = BoundedSemaphore(max(settings.POOL_SIZE // 4, 1))
"""Who waits holds one of the server's threads; most of them stay free for others."""


def follow[R](session_id: str, look: Callable[[], list[R]], *, seconds: float) -> list[R]:
    """Look for something in a Session's log, until there is some or the time is over.

    Args:
        look: finds it, once at the beginning and again whenever an event was added.
        seconds: how long to wait. It may be less: who waits takes up a thread, and when too many
            of them wait already, the answer is given at once.
    """
    found = look()
    if found or not seconds or not _threads.acquire(blocking=False):
        return found
    try:
        return _wait(session_id, look, monotonic() + seconds)
    finally:
        _threads.release()


def _wait[R](session_id: str, look: Callable[[], list[R]], deadline: float) -> list[R]:
    seen = -1
    while True:
        count = _event_count(session_id)
        found = look() if count != seen else []
        if found or monotonic() >= deadline:
            return found
        seen = count
        _lend_connection()
        sleep(SECONDS_BETWEEN_LOOKS)


def _lend_connection() -> None:
    """Give the connection back while this thread sleeps; the next query takes one again."""
    if not connection.in_atomic_block:
        connection.close()


def _event_count(session_id: str) -> int:
    return Session.objects.values_list("event_count", flat=True).get(id=session_id)
