"""A document's lines beside who wrote them, as the blame view shows it (contract R3)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from console.drawing.sourcetables import source_cells, source_rows
from console.naming import Named, Names
from memory.diffs.blame import LineRange
from memory.queries.blame import LineOwner


@dataclass(frozen=True, slots=True)
class BlamedRange:
    """Neighbouring lines of one owner, to draw.

    Attributes:
        first: the number of the first.
        cells: the first line, without its row: the owner stands in that row, too.
        rest: the rows of the others.
    """

    first: int
    height: int
    owner: LineOwner
    by: Named
    cells: SafeString
    rest: SafeString


def blamed_ranges(
    workspace_id: str, lines: Sequence[SafeString], ranges: Sequence[LineRange[LineOwner]]
) -> Iterator[BlamedRange]:
    """Put the lines beside their owners.

    Args:
        lines: as they are drawn.
        ranges: the blame of all of them.
    """
    actors = [each.owner.actor for each in ranges]
    names = Names(workspace_id, [(actor.actor_kind, actor.actor_uuid) for actor in actors])
    for each in ranges:
        yield BlamedRange(
            first=each.start,
            height=each.end - each.start + 1,
            owner=each.owner,
            by=names.actor(each.owner.actor),
            cells=source_cells(each.start, lines[each.start - 1]),
            rest=source_rows(lines[each.start : each.end], each.start + 1),
        )
