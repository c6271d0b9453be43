"""Where runtimes show mounts: never one inside another (contract S1)."""

from collections.abc import Iterable
from itertools import pairwise


def are_apart(paths: Iterable[str]) -> bool:
    """Whether no path is another's, or below it."""
    ends = sorted(f"{path}/" for path in paths)
    return not any(below.startswith(above) for above, below in pairwise(ends))
