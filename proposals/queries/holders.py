"""Who holds what on some stores, so that a page can say whom to ask."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from django.db.models import OuterRef, Q, Subquery

from proposals.rules import Holder
from tenancy.models import PermissionAssignment, Principal, SubjectKind, TargetKind
from wire.ids import id_from_uuid


def holders_on(workspace_id: str, store_ids: Collection[str]) -> dict[str, list[Holder]]:
    """The live principals that hold grants on each store or on the Workspace. One query."""
    held: dict[tuple[str, str], set[str]] = defaultdict(set)
    principals: dict[str, tuple[str, bool]] = {}
    for uuid, kind, target, permissions, name, is_a in _assignments(workspace_id, store_ids):
        principal = id_from_uuid("principal", uuid)
        principals[principal] = (name, is_a == Principal.Kind.PERSON)
        on = [id_from_uuid("store", target)] if kind == TargetKind.STORE else store_ids
        for store in on:
            held[store, principal].update(permissions)
    found: dict[str, list[Holder]] = defaultdict(list)
    for (store, principal), granted in held.items():
        found[store].append(Holder(principal, *principals[principal], frozenset(granted)))
    return found


def _assignments(workspace_id: str, store_ids: Collection[str]) -> Any:
    principal = Principal.objects.filter(
        id=OuterRef("subject_uuid"), workspace=workspace_id, state=Principal.State.ACTIVE
    )
    return (
        PermissionAssignment.objects.filter(
            Q(target_kind=TargetKind.STORE, target_uuid__in=list(store_ids))
            | Q(target_kind=TargetKind.WORKSPACE, target_uuid=workspace_id),
            workspace=workspace_id,
            subject_kind=SubjectKind.PRINCIPAL,
        )
        .annotate(
            name=Subquery(principal.values("name")),
            principal_kind=Subquery(principal.values("kind")),
        )
        .exclude(name=None)
        .values_list(
            "subject_uuid", "target_kind", "target_uuid", "permissions", "name", "principal_kind"
        )
    )
