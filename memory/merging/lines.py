"""The three-way merge of one document's lines, as `git merge-file` has it (contract P4).

It is offered to a person, who may take it, and never done for them. git's own algorithm runs on
numbers that stand for the lines: so nothing that a line says is taken for a mark of a conflict,
and no line can be forged that makes it slow.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from pygit2 import IndexEntry, Odb, OdbBackend, Oid, Repository
from pygit2 import hash as object_id
from pygit2.enums import FileMode, ObjectType

from memory.documents.texts import is_crlf, lines_of

CANONICAL_MARK: Final = "<<<<<<< canonical"
BETWEEN_MARK: Final = "======="
PROPOSAL_MARK: Final = ">>>>>>> proposal"

_END: Final = b"."
"""Ends all three texts and so the merged one: pygit2 cannot hand over an empty one."""


class Stretch(NamedTuple):
    """Some lines of a merged text. Both are the same where nobody has to choose."""

    canonical: str
    proposed: str

    @property
    def is_contested(self) -> bool:
        """Whether both sides changed these lines, and not alike."""
        return self.canonical != self.proposed


@dataclass(frozen=True, slots=True)
class MergedText:
    """Two changes of one text brought together, stretch by stretch.

    Attributes:
        ending: what the marks of conflicts end with, as the text's lines do.
    """

    stretches: tuple[Stretch, ...]
    ending: str

    @property
    def conflicts(self) -> int:
        """How many stretches somebody has to decide."""
        return sum(stretch.is_contested for stretch in self.stretches)

    @property
    def text(self) -> str:
        """All of it; what is contested stands between marks, canonical's lines first."""
        return "".join(map(self._spell, self.stretches))

    def _spell(self, stretch: Stretch) -> str:
        if not stretch.is_contested:
            return stretch.canonical
        parts = [CANONICAL_MARK, stretch.canonical, BETWEEN_MARK, stretch.proposed, PROPOSAL_MARK]
        return "".join(self._ended(part) for part in parts)

    def _ended(self, part: str) -> str:
        return part if not part or part.endswith("\n") else part + self.ending


def has_marks(text: str) -> bool:
    """Whether a mark that `MergedText.text` puts around a conflict stands in a line of its own."""
    lines = {line.rstrip("\r\n") for line in lines_of(text)}
    return not lines.isdisjoint({CANONICAL_MARK, PROPOSAL_MARK})


def merge_lines(base: str, canonical: str, proposed: str) -> MergedText:
    """Bring what `canonical` and `proposed` each changed of `base` together.

    A line that one side changed is as that side has it; lines that both changed, and lines
    next to one another, are contested unless both changed them alike.

    Args:
        base: the text that both started from; empty when both added the document.
    """
    numbers: dict[str, int] = {}
    spelled = [_spell(lines_of(text), numbers) for text in (base, canonical, proposed)]
    merged = _merge(*spelled)
    stretches = tuple(_stretches(merged.splitlines(), list(numbers)))
    return MergedText(stretches, ending="\r\n" if is_crlf(canonical) else "\n")


def _spell(lines: Iterable[str], numbers: dict[str, int]) -> bytes:
    spelled = [b"%d\n" % numbers.setdefault(line, len(numbers)) for line in lines]
    return b"".join(spelled) + _END


class _Objects(OdbBackend):
    """The texts of one merge, in memory only."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: dict[Oid, bytes] = {}

    def keep(self, data: bytes) -> IndexEntry:
        oid = object_id(data)
        self._texts[oid] = data
        return IndexEntry("document", oid, FileMode.BLOB)

    def read_cb(self, oid: Oid) -> tuple[int, bytes]:
        return ObjectType.BLOB, self._texts[oid]


def _merge(base: bytes, canonical: bytes, proposed: bytes) -> str:
    objects, database, repository = _Objects(), Odb(), Repository()
    database.add_backend(objects, 1)
    repository.set_odb(database)
    merged = repository.merge_file_from_index(
        objects.keep(base), objects.keep(canonical), objects.keep(proposed)
    )
    return merged.contents.removesuffix(_END.decode())


def _stretches(merged: Iterable[str], lines: Sequence[str]) -> Iterator[Stretch]:
    """Numbers are lines; all else that libgit2 writes is a mark."""
    canonical: list[str] = []
    proposed: list[str] = []
    sides = both = [canonical, proposed]
    for line in merged:
        if line[0].isdigit():
            for side in sides:
                side.append(lines[int(line)])
        elif line.startswith("="):
            sides = [proposed]
        else:
            yield from _finished(canonical, proposed)
            sides = [canonical] if line.startswith("<") else both
    yield from _finished(canonical, proposed)


def _finished(canonical: list[str], proposed: list[str]) -> Iterator[Stretch]:
    if canonical or proposed:
        yield Stretch("".join(canonical), "".join(proposed))
    canonical.clear()
    proposed.clear()
