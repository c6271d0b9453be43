"""Lists (contract §0): `limit`, an opaque `page`, and keyset paging behind it."""

import base64
import binascii
from typing import Annotated, Any, Protocol

import orjson
from pydantic import Field

from wire.errors import Malformed
from wire.fields import Count
from wire.parsing import Query

LIMIT = 50
LIMIT_MOST = 200


class PagedQuery(Query):
    """The parameters that every list takes."""

    limit: Annotated[Count, Field(ge=1, le=LIMIT_MOST)] = LIMIT
    """How many rows at most."""
    page: Annotated[str, Field(max_length=16_384)] | None = None
    """What the page before gave as `next_page`."""


class Pageable(Protocol):
    def filter(self, **lookups: Any) -> Any: ...


def encode_page(*position: str | int) -> str:
    """Spell the position behind the last row shown, so that a client can hand it back."""
    return base64.urlsafe_b64encode(orjson.dumps(position)).decode().rstrip("=")


def decode_page(page: str | None, *types: type) -> list[Any] | None:
    """Read a position back, checking the type of each part. None means from the start.

    Raises:
        Malformed: the text was not made by `encode_page` for this kind of list.
    """
    if page is None:
        return None
    try:
        position = orjson.loads(
            base64.b64decode(page + "=" * (-len(page) % 4), b"-_", validate=True)
        )
    except (ValueError, binascii.Error) as error:
        raise Malformed("page: not a value that this list returned as next_page.") from error
    if (
        not isinstance(position, list)
        or len(position) != len(types)
        or not all(isinstance(part, kind) for part, kind in zip(position, types, strict=True))
    ):
        raise Malformed("page: not a value that this list returned as next_page.")
    return position


def list_body(rows: list[Any], next_page: str | None) -> dict[str, Any]:
    """The envelope of a list."""
    return {"data": rows, "next_page": next_page}
