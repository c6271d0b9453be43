"""Who exists: a lower room asks, the room that owns a kind of thing answers (contract M6).

Owners, subjects and targets are (kind, ID) without a foreign key upward. Each room registers its
kinds at start-up, in `AppConfig.ready`; what it registers runs in the asker's transaction.
"""

from collections.abc import Callable

type Existence = Callable[[str, str], bool]
"""(workspace ID, ID) → whether that Workspace has one."""

_existence: dict[str, Existence] = {}


def register_existence(kind: str, exists_in: Existence) -> None:
    """Let `exists_in` answer for `kind`. Raises ValueError when somebody already does."""
    if kind in _existence:
        raise ValueError(f"{kind} is registered already")
    _existence[kind] = exists_in


def exists(kind: str, workspace_id: str, id: str) -> bool:
    """Whether a Workspace has a `kind` with that ID. There is none of an unknown kind."""
    exists_in = _existence.get(kind)
    return exists_in is not None and exists_in(workspace_id, id)
