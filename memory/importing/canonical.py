"""How imports move canonical (contract C3): nowhere else do they."""

from database.transactions import step
from memory import refs
from memory.actors import IMPORTER


@step
def point_canonical(*, store_id: str, to: str, expected: str | None = None) -> None:
    """Point canonical of a new store at a version, or move it from the last imported one.

    Raises:
        Conflict: canonical is not at `expected` any more.
    """
    if expected is None:
        refs.create(store_id=store_id, name=refs.CANONICAL, at=to, actor=IMPORTER)
        return
    refs.advance(store_id=store_id, name=refs.CANONICAL, expected=expected, to=to, actor=IMPORTER)
