"""Pages of an export, each checked by itself and made ready to be kept (contract E2, I1)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import ValidationError

from memory.importing.faults import BundleFault, malformed, name_item
from memory.importing.shapes import KINDS, SHAPES, AvailableBody, DocumentVersion, Manifest, Page
from wire.canonicaljson import canonical_json
from wire.times import parse_time


@dataclass(frozen=True, slots=True)
class CheckedPage:
    """A page whose items are each well-formed.

    Attributes:
        manifest: as the page has it.
        items: as JSON.
        kind_counts: how many items there are of each kind, in the order of KINDS.
        is_last: whether no page follows.
    """

    manifest: dict[str, Any]
    ordinal: int
    items: bytes
    kind_counts: list[int]
    is_last: bool


def is_page(part: Mapping[str, Any]) -> bool:
    """Whether a part of an export means to be a page, and not a whole export."""
    return not {"manifest", "page_ordinal", "items"}.isdisjoint(part)


def read_page(raw: Mapping[str, Any]) -> CheckedPage:
    """Check a page of the paged export by itself.

    Raises:
        BundleFault: naming what is wrong, and with which item.
    """
    try:
        page = Page.model_validate(raw)
    except ValidationError as error:
        raise malformed("The page", error) from error
    place = f"page {page.page_ordinal}"
    for index, item in enumerate(page.items):
        where = f"{place}, item {index}"
        fault = _fault_beside(page.manifest, read_item(item, where))
        if fault:
            raise BundleFault(f"{name_item(where, item)}: {fault}.")
    size = sum(len(canonical_json(item)) for item in page.items)
    if size != page.item_bytes:
        raise BundleFault(
            f"{place}: item_bytes says {page.item_bytes:,}; the items as canonical JSON take"
            f" {size:,}."
        )
    return checked_page(page.manifest, page.page_ordinal, page.items, is_last=not page.next_page)


def checked_page(
    manifest: Manifest, ordinal: int, items: Sequence[Mapping[str, Any]], *, is_last: bool
) -> CheckedPage:
    """A page of items that were read one by one."""
    counts = Counter(item["kind"] for item in items)
    return CheckedPage(
        manifest=manifest.model_dump(),
        ordinal=ordinal,
        items=orjson.dumps(items),
        kind_counts=[counts[kind] for kind in KINDS],
        is_last=is_last,
    )


def read_item(item: Any, place: str) -> Any:
    """What an item holds, when it is well-formed.

    Args:
        place: where it stands, such as `page 3, item 17`.

    Raises:
        BundleFault: naming the item, and its fields that are wrong.
    """
    kind = item.get("kind") if isinstance(item, Mapping) else None
    if not isinstance(kind, str) or kind not in SHAPES or item.keys() != {"kind", kind}:
        raise BundleFault(
            f"{name_item(place, item)}: an item has a kind, one of {', '.join(KINDS)},"
            " and under the name of its kind what it holds, and nothing else."
        )
    try:
        return SHAPES[kind].validate_python(item[kind])
    except ValidationError as error:
        raise malformed(name_item(place, item), error) from error


def _fault_beside(manifest: Manifest, held: Any) -> str | None:
    """What contradicts the manifest: another store's item, or a text past its own ceiling."""
    if getattr(held, "store", manifest.source_store) != manifest.source_store:
        return f"store: {manifest.source_store} is exported, not {held.store}"
    if isinstance(held, DocumentVersion) and isinstance(held.body, AvailableBody):
        expires_at = held.body.expires_at
        if expires_at and parse_time(expires_at) <= parse_time(manifest.as_of):
            return f"body.expires_at: it had expired at {manifest.as_of}, the time of the export"
    return None
