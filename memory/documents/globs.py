"""Globs: patterns of document paths, spelled as paths are (contract M2).

`*` and `?` stand for any characters of one segment, `[…]` for one of a set (`[!…]` for one that is
not in it), and a segment `**` for any number of segments: `/guides/**` is everything below
`/guides`, `/**/*.md` every document that ends so. The whole path has to match, and case counts.
A star or bracket itself is written as a set, `[*]`.

No pattern takes long, whoever wrote it: the standard library's `fnmatch` never goes back within a
segment, and what is here never goes back between segments.
"""

import re
from collections.abc import Callable, Sequence
from fnmatch import translate
from functools import lru_cache
from typing import Final

from memory.documents.paths import PathError, parse_path

ANY_DEPTH: Final = "**"

type _Fits = Callable[[str], object]
"""Whether one segment of a path fits one segment of a glob."""


def parse_glob(text: str) -> str:
    """Return `text` unchanged when it is a glob.

    Raises:
        PathError: it breaks a rule of M2 for paths, or `**` is only a part of a segment.
    """
    parse_path(text)
    if any(ANY_DEPTH in segment and segment != ANY_DEPTH for segment in text.split("/")):
        raise PathError("two stars stand alone between slashes, as in /guides/**")
    return text


@lru_cache(maxsize=256)
def matcher(glob: str) -> Callable[[str], bool]:
    """What tells whether a document's path matches a glob that `parse_glob` took.

    Kept, since a list asks the same rules of each Proposal, and 32 rules may take a third of a
    second to make out.
    """
    runs = _runs(glob)

    def matches(path: str) -> bool:
        return _matches(runs, path[1:].split("/"))

    return matches


def _runs(glob: str) -> list[list[_Fits]]:
    """The segments that stand together, between those that stand for any number of them."""
    segments = glob[1:].split("/")
    if segments[-1] == ANY_DEPTH:  # below a directory, never the directory's own path
        segments.append("*")
    runs: list[list[_Fits]] = [[]]
    for segment in segments:
        if segment == ANY_DEPTH:
            runs.append([])
        else:
            runs[-1].append(re.compile(translate(segment)).match)
    return runs


def _matches(runs: Sequence[Sequence[_Fits]], segments: Sequence[str]) -> bool:
    """Whether the first run begins the path, the last ends it, and the others come between.

    Each of those is taken as early as it fits, which leaves the most room for the next.
    """
    first, *between = runs
    if not between:
        return len(first) == len(segments) and _fits(first, segments, 0)
    last = between.pop()
    start, end = len(first), len(segments) - len(last)
    if start > end or not _fits(first, segments, 0) or not _fits(last, segments, end):
        return False
    for run in between:
        places = range(start, end - len(run) + 1)
        place = next((at for at in places if _fits(run, segments, at)), None)
        if place is None:
            return False
        start = place + len(run)
    return True


def _fits(run: Sequence[_Fits], segments: Sequence[str], at: int) -> bool:
    return all(fits(segment) for fits, segment in zip(run, segments[at:], strict=False))
