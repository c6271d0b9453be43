"""Permission assignments as rows of a page, with the names of all that they mention."""

from typing import Any

from console.naming import Names
from memory.access import listable_stores
from tenancy.caller import Caller
from tenancy.models import TargetKind


def grant_rows(caller: Caller, assignments: Any) -> list[dict[str, Any]]:
    """Each assignment with the names of all that it mentions."""
    stores = _store_names(caller, assignments)
    names = Names(
        caller.workspace_id,
        [
            reference
            for each in assignments
            for reference in (
                (each.subject_kind, each.subject_uuid),
                (each.target_kind, each.target_uuid),
                (each.created_by_kind, each.created_by_uuid),
            )
        ],
    )
    return [
        {
            "assignment": each,
            "subject": names.of(each.subject_kind, each.subject_uuid),
            "target": names.of(each.target_kind, each.target_uuid),
            "target_label": stores.get(each.target_id),
            "by": names.of(each.created_by_kind, each.created_by_uuid),
        }
        for each in assignments
    ]


def _store_names(caller: Caller, assignments: Any) -> dict[str, str]:
    wanted = [each.target_id for each in assignments if each.target_kind == TargetKind.STORE]
    if not wanted:
        return {}
    return dict(listable_stores(caller).filter(id__in=wanted).values_list("id", "name"))
