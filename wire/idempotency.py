"""The Idempotency-Key header and the fingerprint of what it was sent with (contract §0)."""

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from rest_framework.request import Request

from wire.canonicaljson import canonical_json
from wire.errors import Malformed
from wire.headers import IDEMPOTENCY_KEY

_PRINTABLE = re.compile(r"[\x20-\x7e]{1,255}")


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """A caller's key and the digest of method, route, target and canonical body."""

    key: str
    fingerprint: bytes


def require_key(request: Request, body: Any) -> IdempotencyKey:
    """Read the header a write must carry. Raises Malformed when missing or ill-formed."""
    found = optional_key(request, body)
    if found is None:
        raise Malformed(
            f"The header {IDEMPOTENCY_KEY} is required: 1 to 255 printable ASCII characters."
        )
    return found


def optional_key(request: Request, body: Any) -> IdempotencyKey | None:
    """Read the header where it is optional. Raises Malformed when ill-formed.

    Args:
        request: its method and address are part of the fingerprint.
        body: the parsed body (or a digest of it) as plain JSON values.
    """
    text = request.headers.get(IDEMPOTENCY_KEY)
    if text is None:
        return None
    if not _PRINTABLE.fullmatch(text):
        raise Malformed(
            f"The header {IDEMPOTENCY_KEY} must be 1 to 255 printable ASCII characters."
        )
    return IdempotencyKey(text, fingerprint(request.method or "", request.get_full_path(), body))


def fingerprint(method: str, target: str, body: Any) -> bytes:
    """SHA-256 over method, target and the body as canonical JSON."""
    return sha256(f"{method}\n{target}\n".encode() + canonical_json(body)).digest()
