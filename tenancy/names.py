"""Names that people give, checked wherever they come from: API, Console or command."""

from wire.errors import Malformed
from wire.fields import one_line


def checked_name(text: str) -> str:
    """Return a name as it may be stored. Raises Malformed saying what is wrong with it."""
    try:
        return one_line(text)
    except ValueError as error:
        raise Malformed(f"name: {error}.") from error
