"""Selections: what a mount reads when it is not simply the current state (contract S3)."""

from dataclasses import dataclass

from memory.models import RefKind
from memory.refs import RefName
from sessions.models import SelectionKind


@dataclass(frozen=True, slots=True)
class Selection:
    """An exact version, which never moves, or a ref, which freezes at each Run's start.

    Attributes:
        id: the version, or the owner of the ref; None for canonical.
    """

    kind: SelectionKind
    id: str | None = None

    @property
    def version_id(self) -> str | None:
        """The exact version, if it is one."""
        return self.id if self.kind == SelectionKind.VERSION else None

    @property
    def ref(self) -> RefName | None:
        """The ref, if it is one."""
        if self.kind == SelectionKind.VERSION:
            return None
        return RefName(RefKind(self.kind), self.id)

    def __str__(self) -> str:
        return self.version_id or f"the {self.ref} ref"
