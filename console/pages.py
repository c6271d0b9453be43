"""Keyset paging for the Console's lists: one page and the way to the next."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import QuerySet

from wire.errors import Malformed
from wire.paging import decode_page, encode_page

SIZE = 50


@dataclass(frozen=True, slots=True)
class Slice[T]:
    """One page of a list, and the position that the next begins behind."""

    rows: Sequence[T]
    next_page: str | None


def slice_by_id(rows: QuerySet[Any], page: str | None, *, size: int = SIZE) -> Slice[Any]:
    """Cut a page from a queryset that is ordered by `-id`. A query for each row is an error.

    Raises:
        Malformed: `page` is not a position that this list gave.
    """
    position = decode_page(page or None, str)
    try:
        if position:
            rows = rows.filter(id__lt=position[0])
        found = list(rows.fetch_mode(models.FETCH_RAISE)[: size + 1])
    except ValueError as error:
        raise Malformed("page: not a position of this list.") from error
    more = len(found) > size
    return Slice(found[:size], encode_page(str(found[size - 1].pk)) if more else None)
