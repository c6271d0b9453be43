"""A document's lines beside who wrote them, as the blame view shows it (contract R3)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from console.naming import Named, Names
from memory.blame import LineRange
from memory.queries.blame import LineOwner


@dataclass(frozen=True, slots=True)
class BlamedLine:
    """A line to draw. `owner` and `by` are there where a range begins."""

    number: int
    text: str
    owner: LineOwner | None
    by: Named | None
    height: int


def blamed_lines(
    workspace_id: str, lines: Sequence[str], ranges: Sequence[LineRange[LineOwner]]
) -> Iterator[BlamedLine]:
    """Put each line beside its owner.

    Args:
        lines: as they are drawn.
        ranges: the blame of all of them.
    """
    actors = [each.owner.actor for each in ranges]
    names = Names(workspace_id, [(actor.actor_kind, actor.actor_uuid) for actor in actors])
    for each in ranges:
        by, height = names.actor(each.owner.actor), each.end - each.start + 1
        yield BlamedLine(each.start, lines[each.start - 1], each.owner, by, height)
        for number in range(each.start + 1, each.end + 1):
            yield BlamedLine(number, lines[number - 1], None, None, 0)
