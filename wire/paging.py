"""Lists (contract §0): `limit`, an opaque `page`, and keyset paging behind it."""

import base64
import binascii
from collections.abc import Callable, Iterable
from typing import Annotated, Any

import orjson
from django.db.models import Model, QuerySet
from pydantic import Field

from wire.errors import Malformed
from wire.fields import DIGITS
from wire.parsing import Query

LIMIT = 50
LIMIT_MOST = 200
FOREIGN_PAGE = "page: not a value that this list returned as next_page."


class PagedQuery(Query):
    """The parameters that every list takes."""

    limit: Annotated[int, Field(ge=1, le=LIMIT_MOST), DIGITS] = LIMIT
    """How many rows at most."""
    page: Annotated[str, Field(max_length=16_384)] | None = None
    """What the page before gave as `next_page`."""


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
        raise Malformed(FOREIGN_PAGE) from error
    if (
        not isinstance(position, list)
        or len(position) != len(types)
        or not all(isinstance(part, kind) for part, kind in zip(position, types, strict=True))
    ):
        raise Malformed(FOREIGN_PAGE)
    return position


def newest_first[M: Model](
    rows: QuerySet[M], query: PagedQuery, position: type = str
) -> tuple[list[M], str | None]:
    """One page of rows by descending key, and the value of `next_page` behind it.

    IDs rise with time, so a row that is inserted meanwhile comes before the first page: it
    neither repeats nor hides another.

    Args:
        position: the type of the key in Python.

    Raises:
        Malformed: `page` was not made by this list.
    """
    after = decode_page(query.page, position)
    if after is not None:
        rows = rows.filter(pk__lt=_accepted(rows, after[0]))
    return page_of(rows.order_by("-pk")[: query.limit + 1], query.limit, lambda row: (row.pk,))


def page_of[R](
    found: Iterable[R], limit: int, position: Callable[[R], tuple[str | int, ...]]
) -> tuple[list[R], str | None]:
    """The rows to show, and the value of `next_page` behind them.

    Args:
        found: up to one row more than are shown, which tells that there is a next page.
        limit: how many are shown at most.
        position: what `decode_page` of the next page gives back, of the last row shown.
    """
    rows = list(found)
    shown = rows[:limit]
    return shown, encode_page(*position(shown[-1])) if len(rows) > limit else None


def _accepted(rows: QuerySet[Any], position: Any) -> Any:
    try:
        return rows.model._meta.pk.to_python(position)  # noqa: SLF001 (Django documents _meta)
    except ValueError as error:
        raise Malformed(FOREIGN_PAGE) from error


def list_body(rows: list[Any], next_page: str | None) -> dict[str, Any]:
    """The envelope of a list."""
    return {"data": rows, "next_page": next_page}
