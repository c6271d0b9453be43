"""The headers that say which content a document write is made on (contract M9, R2)."""

import re

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from memory.trees.hashing import HashError, parse_hash
from wire.errors import Malformed

_QUOTED = re.compile(r'"([^"]*)"')

IF_MATCH = OpenApiParameter(
    "If-Match",
    {"type": "string", "pattern": '^"sha256:[0-9a-f]{64}"$'},
    OpenApiParameter.HEADER,
    description="The content hash that the document must have now, in quotes.",
)
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match",
    {"type": "string"},
    OpenApiParameter.HEADER,
    description="On a read, the ETag that is known already; on a write, `*`: none may exist.",
)
ETAG = OpenApiParameter(
    "ETag",
    {"type": "string", "pattern": '^"sha256:[0-9a-f]{64}"$'},
    OpenApiParameter.HEADER,
    response=[200, 304],
    description="The content hash, in quotes.",
)


def expected_content(request: Request) -> bytes | None:
    """What a PUT is made on: a content hash, or None when there must be no document.

    Raises:
        Malformed: neither header was sent, both were, or one in another form.
    """
    none_match = request.headers.get("If-None-Match")
    if none_match is None:
        return expected_hash(request)
    if "If-Match" in request.headers or none_match.strip() != "*":
        raise Malformed('Send either If-Match: "sha256:…" or If-None-Match: *.')
    return None


def expected_hash(request: Request) -> bytes:
    """The one content hash in If-Match.

    Raises:
        Malformed: the header is missing, or is not one quoted content hash.
    """
    quoted = _QUOTED.fullmatch(request.headers.get("If-Match", "").strip())
    try:
        return parse_hash(quoted[1] if quoted else "")
    except HashError as error:
        raise Malformed(
            'Send If-Match: "sha256:…" with the content hash of the document that you read.'
        ) from error
