"""The one way by which content leaves through the API (contract R5)."""

from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.utils.http import parse_etags

from memory.publication import Acquired, recheck
from wire.rendering import dump_json


class Published(HttpResponse):
    """An answer that passed a publication recheck. Only what looks once more makes one."""


class PublishedStream(StreamingHttpResponse):
    """The same of an answer that is sent in parts, each of which passed a recheck of its own."""


def publish(
    acquired: Acquired, answer: Any, *, etag: str | None = None, known: str = ""
) -> Published:
    """Render an answer to bytes, look once more whether it may be released, and send it.

    Args:
        acquired: what the answer holds, and the authority it was read under.
        answer: plain JSON values.
        etag: names the content, when it has a name.
        known: the request's If-None-Match; 304 without a body when it names `etag`.

    Raises:
        as `memory.publication.recheck` says.
    """
    rendered = dump_json(answer)
    recheck(acquired)
    headers = {"ETag": etag} if etag else {}
    if etag and is_known(known, etag):
        return Published(status=304, headers=headers)
    return Published(rendered, headers=headers, content_type="application/json")


def is_known(known: str, etag: str) -> bool:
    """Whether an If-None-Match names the entity tag, compared weakly as RFC 9110 has it."""
    listed = [name.removeprefix("W/") for name in parse_etags(known)]
    return listed == ["*"] or etag in listed
