"""What is wrong with an export, said so that the item is found (contract I1)."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

from wire.errors import Malformed, shorten
from wire.parsing import describe_errors

_NAMES: Final = {
    "revision": ("id",),
    "path_fence": ("path",),
    "document_version": ("id",),
    "revision_entry": ("revision", "path"),
    "ref": ("kind", "session", "proposal", "run"),
}
"""Kind of item → the fields that tell which one it is."""


class BundleFault(Malformed):
    """The export contradicts itself or the contract; the message names the item."""


def name_item(place: str, item: Any) -> str:
    """Name an item, however malformed: where it stands, its kind, and its ID or path.

    Args:
        place: such as `page 3, item 17`.
    """
    kind = item.get("kind") if isinstance(item, Mapping) else None
    if not isinstance(kind, str) or kind not in _NAMES:
        return place
    fields = item.get(kind)
    fields = fields if isinstance(fields, Mapping) else {}
    told = [fields[name] for name in _NAMES[kind] if isinstance(fields.get(name), str)]
    return f"{place} ({shorten(' '.join([kind, *told]))})"


def malformed(place: str, error: ValidationError) -> BundleFault:
    """The fault of something that is not of the documented shape."""
    return BundleFault(f"{place}: {describe_errors(error)}")
