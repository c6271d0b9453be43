"""The one way by which what Sessions are about leaves through the API (contract R5)."""

from typing import Any

from memory.api.publishing import Published
from memory.publication import Acquired
from sessions.publication import SessionsRead, recheck_sessions, recheck_use
from sessions.turns.native import Use
from wire.rendering import dump_json


def publish_sessions(
    read: SessionsRead, answer: Any, *, status: int = 200, headers: dict[str, str] | None = None
) -> Published:
    """Render an answer to bytes, look once more whether it may be released, and send it.

    Raises:
        as `sessions.publication.recheck_sessions` says.
    """
    rendered = dump_json(answer)
    recheck_sessions(read)
    return Published(rendered, status=status, headers=headers, content_type="application/json")


def publish_use(
    use: Use,
    answer: Any,
    acquired: Acquired | None = None,
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Published:
    """The same for what a round reads, or wrote.

    Args:
        acquired: the texts that the answer holds; none when left out.

    Raises:
        as `sessions.publication.recheck_use` says.
    """
    rendered = dump_json(answer)
    recheck_use(use, acquired or Acquired(use.store))
    return Published(rendered, status=status, headers=headers, content_type="application/json")
