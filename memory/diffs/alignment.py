"""Which items of one sequence stay in another: git's own algorithm over anything hashable.

Items (lines, words) are numbered by equality first, and libgit2 compares the numbers. That
bounds its work whatever the items hold: it hashes lines with a function whose collisions are
easily forged, and a text of a few thousand forged lines takes it a hundred times longer.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from pygit2 import Patch
from pygit2.enums import DiffOption

MAX_COMPARED_ITEMS: Final = 40_000
"""Both sides together; beyond it, everything between equal ends counts as replaced.

A document that reaches it has lines of two or three characters, and no change to be read.
"""

_MAX_INDENT_BYTES: Final = 200  # what git's indent heuristic looks at
_GIT_BLANKS: Final = b" \t\r\n"  # not form feed, unlike libgit2
_BLANK_DIGITS: Final = str.maketrans("01", " \t")


class Block(NamedTuple):
    """Items old[old_start:old_end] that new[new_start:new_end] replaced; one may be empty."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def changed_blocks(
    old: Sequence[bytes], new: Sequence[bytes], *, indented: bool = False
) -> list[Block]:
    """Return what must be replaced to turn `old` into `new`, in order.

    Args:
        old: the items before.
        new: the items after.
        indented: the items are lines of text, so that among equal choices the cut follows
            indentation and blank lines, as `git diff` has it.
    """
    if old == new:
        return []
    if len(old) + len(new) > MAX_COMPARED_ITEMS:
        block = _between_equal_ends(old, new)
        if block.old_end - block.old_start + block.new_end - block.new_start > MAX_COMPARED_ITEMS:
            return [block]
    return list(_compare(old, new, indented=indented))


def _between_equal_ends(old: Sequence[bytes], new: Sequence[bytes]) -> Block:
    head = _common_length(zip(old, new, strict=False))
    tail = _common_length(zip(reversed(old), reversed(new), strict=False))
    tail = min(tail, len(old) - head, len(new) - head)
    return Block(head, len(old) - tail, head, len(new) - tail)


def _common_length(pairs: Iterator[tuple[bytes, bytes]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _compare(old: Sequence[bytes], new: Sequence[bytes], *, indented: bool) -> Iterator[Block]:
    numbers: dict[bytes, bytes] = {}
    spell = _spell_line if indented else _spell_number
    for item in (*old, *new):
        if item not in numbers:
            numbers[item] = spell(item, len(numbers))
    flags = DiffOption.FORCE_TEXT
    if indented:
        flags |= DiffOption.INDENT_HEURISTIC
    patch = Patch.create_from(
        b"".join(numbers[item] for item in old),
        b"".join(numbers[item] for item in new),
        flag=flags,
        context_lines=1,  # without any, libgit2 takes a shortcut that finds other lines
    )
    return _blocks(patch)


def _spell_number(_: bytes, number: int) -> bytes:
    return b"%d\n" % number


def _spell_line(line: bytes, number: int) -> bytes:
    """A stand-in that differs where the line does and is indented, or blank, as it is."""
    content = line.lstrip(_GIT_BLANKS)
    if not content:
        return f"{number:b}\n".translate(_BLANK_DIGITS).encode()
    indent = line[: min(len(line) - len(content), _MAX_INDENT_BYTES)]
    return b"%s%d\n" % (indent, number)


def _blocks(patch: Patch) -> Iterator[Block]:
    old_start = old_end = new_start = new_end = 0
    for line in (line for hunk in patch.hunks for line in hunk.lines):
        if line.origin == "-":
            old_end = line.old_lineno
        elif line.origin == "+":
            new_end = line.new_lineno
        else:
            if old_end > old_start or new_end > new_start:
                yield Block(old_start, old_end, new_start, new_end)
            old_start = old_end = line.old_lineno
            new_start = new_end = line.new_lineno
    if old_end > old_start or new_end > new_start:
        yield Block(old_start, old_end, new_start, new_end)
