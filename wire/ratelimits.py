"""Rate limits (contract §0: 429 `budget.exceeded`): what one credential may ask in a while.

A key is counted by itself. Attempts to sign in are counted by the user name and the place that they
come from, so that nobody keeps somebody else out by guessing, and far higher by the name alone.

Counted in Valkey, together for all processes. When that cannot be reached, nobody is locked out
and nothing is let through uncounted: each process counts for itself, with the same limits, until
Valkey answers again.
"""

import hashlib
import logging
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

import redis  # noqa: F401 (else `limits` may look at it while another thread still imports it)
from django.conf import settings
from limits import RateLimitItem
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

    def spend(self, credential: str, limits: Sequence[RateLimitItem]) -> None:
        """Count one request of a credential.

        Raises:
            BudgetExceeded: it has asked too often; says when to come back.
        """
        if time.monotonic() >= self.alone_until:
            try:
                return _spend(self.shared, credential, limits)
            except StorageError:
                self.alone_until = time.monotonic() + PAUSE
                logger.exception("each process counts requests for itself")
        return _spend(self.alone, credential, limits)


def spend(credential: str) -> None:
    """Count one request of a key, if there are limits. Raises BudgetExceeded."""
    if settings.RATE_LIMITS:
        limiter().spend(credential, settings.RATE_LIMITS)


def spend_sign_in(username: str, network: str) -> None:
    """Count one attempt to sign in, if there are limits; neither name nor network is kept.

    An attempt that is too much from its network does not count against the name.

    Args:
        network: where it comes from, as `wire.clients` tells.

    Raises:
        BudgetExceeded: it was tried too often; says when to come back.
    """
    name = username.casefold()
    if settings.SIGN_IN_LIMITS:
        limiter().spend(f"sign-in:{_digest(f'{network} {name}')}", settings.SIGN_IN_LIMITS)
    if settings.SIGN_IN_NAME_LIMITS:
        limiter().spend(f"sign-in-name:{_digest(name)}", settings.SIGN_IN_NAME_LIMITS)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


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


def _spend(storage: Storage, credential: str, limits: Sequence[RateLimitItem]) -> None:
    strategy = SlidingWindowCounterRateLimiter(storage)
    for limit in limits:
        if not strategy.hit(limit, credential):
            reset = strategy.get_window_stats(limit, credential).reset_time
            seconds = max(1, math.ceil(reset - time.time()))
            raise BudgetExceeded(f"The limit is {limit}; come back in {seconds} seconds.", seconds)
