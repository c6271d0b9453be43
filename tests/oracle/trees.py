"""What operations make of a tree, what differs between two, and where a document may not be."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from tests.oracle.treehash import in_order
from tests.oracle.values import CONFLICT, Change, Document, Operation, Put, Refused, Tree


def apply(
    tree: Tree, operations: Iterable[Operation], number: int, ceiling: datetime | None = None
) -> Tree:
    """The tree after some operations, were it sealed as version `number` (contract R4).

    Args:
        ceiling: when the texts that are written now have to go (X3).

    Raises:
        Refused: content is not the expected one, or a document would be a directory too (M2).
    """
    after = dict(tree)
    for operation in operations:
        found = tree.get(operation.path)
        if (found.sha256 if found else None) != operation.expected:
            raise Refused(CONFLICT, f"{operation.path} holds {found and found.sha256}")
        if isinstance(operation, Put):
            _put(after, operation, number, ceiling)
        else:
            del after[operation.path]
    refuse_clashes(after)
    return after


def _put(tree: Tree, put: Put, number: int, ceiling: datetime | None) -> None:
    found = tree.get(put.path)
    if found is None or not found.holds(put.text, put.effective_media_type):
        tree[put.path] = Document(
            put.text, put.effective_media_type, number, ceiling, put.provenance
        )


def refuse_clashes(tree: Tree) -> None:
    """Refuse a tree in which a document is also the directory of another."""
    for path, other in clashes(tree):
        raise Refused(CONFLICT, f"{path} is also the directory of {other}")


def clashes(paths: Iterable[str]) -> set[tuple[str, str]]:
    """The documents that are also directories, each with what is below it (contract M2)."""
    present = list(paths)
    return {(one, other) for one in present for other in present if other.startswith(one + "/")}


def changed_paths(before: Tree, after: Tree) -> tuple[str, ...]:
    """The paths whose content or media type differs, in order."""
    return tuple(
        path
        for path in in_order(before.keys() | after.keys())
        if content_of(before.get(path)) != content_of(after.get(path))
    )


def content_of(document: Document | None) -> tuple[str, str] | None:
    """What makes a document the same document, whoever wrote it."""
    return (document.text, document.media_type) if document else None


def diff(base: Tree, head: Tree) -> tuple[Change, ...]:
    """What happened to each path between two trees (contract R3).

    Of several documents with one content, those that keep their file name are paired first,
    then the rest in path order.
    """
    deleted = [path for path in in_order(base) if path not in head]
    added = [path for path in in_order(head) if path not in base]
    renames = _renames(base, head, deleted, added)
    gone, come = set(renames), set(renames.values())
    changes = [Change("renamed", new, old) for old, new in renames.items()]
    changes += [Change("deleted", path) for path in deleted if path not in gone]
    changes += [Change("added", path) for path in added if path not in come]
    changes += [
        Change("modified", path) for path in changed_paths(base, head) if path in base.keys() & head
    ]
    return tuple(sorted(changes, key=lambda change: change.path.encode()))


def _renames(base: Tree, head: Tree, deleted: list[str], added: list[str]) -> dict[str, str]:
    renames: dict[str, str] = {}
    free = defaultdict(list)
    for path in added:
        free[head[path].text].append(path)
    for keeps_name in (True, False):
        for old in deleted:
            candidates = [
                new
                for new in free[base[old].text]
                if not keeps_name or _file_name(new) == _file_name(old)
            ]
            if old not in renames and candidates:
                renames[old] = candidates[0]
                free[base[old].text].remove(candidates[0])
    return renames


def _file_name(path: str) -> str:
    return path.rsplit("/", 1)[1]
