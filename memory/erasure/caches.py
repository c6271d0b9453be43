"""Caches: nothing of the server keeps content in one, and Valkey is asked whether that is so (X4).

All that we put there are counts of requests and, through Celery, identifiers of jobs.
"""

import re
from typing import Final

from django.conf import settings
from redis import Redis, RedisError

from wire.ratelimits import KEY_PREFIX

SECONDS_TO_ANSWER: Final = 1.0

_OURS: Final = "checkfu:*"
_COUNTS: Final = f"{KEY_PREFIX}:".encode()
_MESSAGES: Final = re.compile(rb"checkfu:(_kombu\.|unacked|jobs\b|celeryev\b|.+\.celery\.pidbox$)")
"""What Celery keeps its queues and its workers' mailboxes under."""


def hold_no_content() -> bool:
    """Whether all keys of ours are counts or Celery's; False also when nobody could look."""
    try:
        with Redis.from_url(
            settings.REDIS_URL,
            socket_timeout=SECONDS_TO_ANSWER,
            socket_connect_timeout=SECONDS_TO_ANSWER,
        ) as valkey:
            return all(_holds_no_content(key) for key in valkey.scan_iter(_OURS, count=1_000))
    except RedisError:
        return False


def _holds_no_content(key: bytes) -> bool:
    return key.startswith(_COUNTS) or bool(_MESSAGES.match(key))
