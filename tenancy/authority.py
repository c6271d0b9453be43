"""The authority question: which permissions does this caller hold on that target?

One query, or one expression inside the query that fetches the target itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, Func, OuterRef, Q, QuerySet, TextField

from tenancy.caller import Caller, Subject
from tenancy.models import Permission, PermissionAssignment, TargetKind
from wire.errors import PolicyDenied

NEEDS_READ = frozenset({Permission.WRITE, Permission.REVIEW, Permission.ADMIN})
"""Checks of these also require read (contract §0)."""


@dataclass(frozen=True, slots=True)
class Target:
    """What permissions are held on."""

    kind: TargetKind
    id: str

    @classmethod
    def of(cls, assignment: PermissionAssignment) -> Self:
        """The target of an assignment."""
        return cls(TargetKind(assignment.target_kind), assignment.target_id or "")


def grants_of(subject: Subject, workspace_id: str) -> QuerySet[PermissionAssignment]:
    """The assignments that reach a subject in a Workspace."""
    return PermissionAssignment.objects.filter(
        workspace=workspace_id, subject_kind=subject.kind, subject_uuid=subject.id
    )


def permissions_on(target_kind: TargetKind, target: str | OuterRef, caller: Caller) -> Any:
    """An expression: the array of permissions that `caller` holds on one target.

    A grant on the Workspace covers its stores, agents and sessions (contract §0).

    Args:
        target_kind: what kind of thing `target` is.
        target: its identifier, or an OuterRef to the column that holds it.
    """
    return permissions_of(caller.subject, caller.workspace_id, target_kind, target)


def permissions_of(
    subject: Subject, workspace_id: str, target_kind: TargetKind, target: str | OuterRef
) -> Any:
    """The same expression for any subject in a Workspace."""
    permission = Func(F("permissions"), function="unnest", output_field=TextField())
    return ArraySubquery(
        grants_of(subject, workspace_id)
        .filter(_covering(target_kind, target, workspace_id))
        .annotate(permission=permission)
        .values("permission")
        .distinct()
    )


def _covering(target_kind: TargetKind, target: str | OuterRef, workspace_id: str) -> Q:
    """The assignments on a target itself, and those on its whole Workspace."""
    here = Q(target_kind=target_kind, target_uuid=target)
    return here | Q(target_kind=TargetKind.WORKSPACE, target_uuid=workspace_id)


def permissions_held(target: Target, caller: Caller) -> frozenset[str]:
    """The permissions that `caller` holds on a target that needs no fetching; one query."""
    grants = grants_of(caller.subject, caller.workspace_id).filter(
        _covering(target.kind, target.id, caller.workspace_id)
    )
    return frozenset(
        permission for held in grants.values_list("permissions", flat=True) for permission in held
    )


def readable_targets(target_kind: TargetKind, caller: Caller) -> QuerySet[Any]:
    """The UUIDs of targets of one kind on which the caller holds a direct read grant."""
    return (
        grants_of(caller.subject, caller.workspace_id)
        .filter(target_kind=target_kind, permissions__contains=[Permission.READ])
        .values("target_uuid")
    )


def workspace_permissions(caller: Caller) -> frozenset[str]:
    """The permissions that the caller holds on the Workspace itself."""
    return permissions_held(Target(TargetKind.WORKSPACE, caller.workspace_id), caller)


def holds(permissions: Iterable[str], wanted: Permission) -> bool:
    """Whether a set of permissions satisfies a check of `wanted`."""
    held = frozenset(permissions)
    return wanted in held and (wanted not in NEEDS_READ or Permission.READ in held)


def require(permissions: Iterable[str], wanted: Permission, target_id: str) -> None:
    """Raise PolicyDenied, naming the grant that is missing, unless `wanted` is held."""
    held = frozenset(permissions)
    if holds(held, wanted):
        return
    missing = wanted if wanted not in held else Permission.READ
    raise PolicyDenied(f"This needs a grant of `{missing}` on {target_id}.")
