"""Rate limits (contract §0: 429 `budget.exceeded`): what one credential may ask in a while.

Counted in Valkey, together for all processes. When that cannot be reached, nobody is locked out
and nothing is let through uncounted: each process counts for itself, with the same limits, until
Valkey answers again.
"""

import logging
import math
import time
from dataclasses import dataclass, field
from functools import cache
from typing import Final

import redis  # noqa: F401 (else `limits` may look at it while another thread still imports it)
from django.conf import settings
from limits.errors import StorageError
from limits.storage import MemoryStorage, RedisStorage, Storage
from limits.strategies import SlidingWindowCounterRateLimiter

from wire.errors import BudgetExceeded

logger = logging.getLogger(__name__)

KEY_PREFIX: Final = "checkfu:limits"
"""What all keys begin with that counts are kept under."""

SECONDS_TO_ANSWER: Final = 0.25
"""A request waits no longer than this for a count."""

PAUSE: Final = 5.0
"""Seconds for which a Valkey that did not answer is not asked again."""


@dataclass(slots=True)
class RateLimiter:
    """Counts requests together with other processes or, while it has to, alone."""

    shared: Storage
    alone: Storage = field(default_factory=MemoryStorage)
    alone_until: float = 0.0
    """On the monotonic clock."""

    def spend(self, credential: str) -> None:
        """Count one request of a credential.

        Raises:
            BudgetExceeded: it has asked too often; says when to come back.
        """
        if time.monotonic() >= self.alone_until:
            try:
                return _spend(self.shared, credential)
            except StorageError:
                self.alone_until = time.monotonic() + PAUSE
                logger.exception("each process counts requests for itself")
        return _spend(self.alone, credential)


def spend(credential: str) -> None:
    """Count one request of a credential, if there are limits. Raises BudgetExceeded."""
    if settings.RATE_LIMITS:
        limiter().spend(credential)


@cache
def limiter() -> RateLimiter:
    """This process's limiter."""
    return RateLimiter(
        RedisStorage(
            settings.LIMITS_URL,
            key_prefix=KEY_PREFIX,
            wrap_exceptions=True,
            socket_timeout=SECONDS_TO_ANSWER,
            socket_connect_timeout=SECONDS_TO_ANSWER,
        )
    )


def _spend(storage: Storage, credential: str) -> None:
    strategy = SlidingWindowCounterRateLimiter(storage)
    for limit in settings.RATE_LIMITS:
        if not strategy.hit(limit, credential):
            reset = strategy.get_window_stats(limit, credential).reset_time
            seconds = max(1, math.ceil(reset - time.time()))
            raise BudgetExceeded(
                f"This key may ask {limit}; come back in {seconds} seconds.", seconds
            )
