"""Lists of one exact version: the first page resolves it, and `next_page` carries it along.

So a list that began at canonical goes on in the same tree, wherever canonical moves meanwhile.
"""

from typing import NamedTuple

from wire import ids
from wire.errors import Malformed
from wire.paging import FOREIGN_PAGE, decode_page


class Pin(NamedTuple):
    """Where a list goes on. Both are None on the first page of a list at canonical."""

    version: str | None
    after: str | None


def pinned(version: str | None, page: str | None) -> Pin:
    """Read where a list goes on from what the request names.

    Raises:
        Malformed: `page` was not made by such a list, or belongs to another version.
    """
    position = decode_page(page, str, str)
    if position is None:
        return Pin(version, None)
    at = parse_position_id(position[0])
    if version not in {None, at}:
        raise Malformed("page: continues the list of another version.")
    return Pin(at, position[1])


def parse_position_id(text: str) -> str:
    """A version's ID inside a page token. Raises Malformed when it is none."""
    try:
        return ids.parse_id("version", text)
    except ids.MalformedId as error:
        raise Malformed(FOREIGN_PAGE) from error
