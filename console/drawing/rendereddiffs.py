"""Markdown before and after a change, as it is read: block by block, beside the lines of a diff.

Blocks are rendered and made safe one by one and compared as wholes; nothing is searched for
inside markup.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.utils.safestring import SafeString

from console.browsing import linked_documents
from console.drawing.diffs import Diff, FileDiff
from memory.diffs.alignment import changed_blocks
from memory.documents import markdown
from memory.trees.editing import TreeEntry

AROUND: Final = 1
"""Unchanged blocks shown before and after a change."""


class Part(StrEnum):
    """What became of a block."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """A block of the text, or how many unchanged ones are left out there."""

    part: Part
    html: SafeString = SafeString("")  # noqa: RUF009
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Rendering:
    """A change as readers see it.

    Attributes:
        is_too_long: there is more text than is rendered here.
    """

    blocks: Sequence[ShownBlock] = ()
    is_too_long: bool = False

    @property
    def is_same(self) -> bool:
        """Whether a reader sees no difference."""
        return all(block.part is Part.SAME for block in self.blocks)


def render_file(file: FileDiff, store_id: str, diff: Diff) -> Rendering | None:
    """Render both sides of a file. None when neither is Markdown, or there is no text to render."""
    sides, change = file.sides, file.change
    if sides is None or file.erasures or not file.is_markdown:
        return None
    if file.is_too_long_to_render:
        return Rendering(is_too_long=True)
    # Links of both lead to the head, or every block with one would differ.
    before = _blocks(store_id, change.before, sides.before, diff.head)
    after = _blocks(store_id, change.after, sides.after, diff.head)
    return Rendering(list(_fold(list(_merge(before, after)))))


def _blocks(store_id: str, entry: TreeEntry | None, text: str | None, version_id: str) -> list[str]:
    if entry is None or not text:
        return []
    return markdown.blocks(text, linked_documents(store_id, entry.path, version_id))


def _merge(before: Sequence[str], after: Sequence[str]) -> Iterator[ShownBlock]:
    """All blocks in order, the removed ones before what stands in their place."""
    done = 0
    changes = changed_blocks([one.encode() for one in before], [one.encode() for one in after])
    for block in changes:
        yield from _shown(Part.SAME, after[done : block.new_start])
        yield from _shown(Part.REMOVED, before[block.old_start : block.old_end])
        yield from _shown(Part.ADDED, after[block.new_start : block.new_end])
        done = block.new_end
    yield from _shown(Part.SAME, after[done:])


def _shown(part: Part, blocks: Sequence[str]) -> Iterator[ShownBlock]:
    return (ShownBlock(part, SafeString(html)) for html in blocks)


def _fold(blocks: Sequence[ShownBlock]) -> Iterator[ShownBlock]:
    """The blocks without the unchanged ones that are far from every change."""
    changed = [place for place, block in enumerate(blocks) if block.part is not Part.SAME]
    near = {place + step for place in changed for step in range(-AROUND, AROUND + 1)}
    left_out = 0
    for place, block in enumerate(blocks):
        if place in near or not changed:
            if left_out:
                yield ShownBlock(Part.SAME, left_out=left_out)
            left_out = 0
            yield block
        else:
            left_out += 1
    if left_out:
        yield ShownBlock(Part.SAME, left_out=left_out)
