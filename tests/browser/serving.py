"""A live server in a thread, over the very database that the caller uses."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.test.testcases import LiveServerThread

PLAIN_FILES = settings.STORAGES | {
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
}
"""STORAGES with static files under their plain names, so that nothing has to be collected."""


@contextmanager
def served() -> Iterator[str]:
    """Serve the Console and its static files; yields the address."""
    thread = LiveServerThread("127.0.0.1", StaticFilesHandler)
    thread.daemon = True
    thread.start()
    thread.is_ready.wait()
    if thread.error:
        raise thread.error
    try:
        yield f"http://127.0.0.1:{thread.port}"
    finally:
        thread.terminate()
