"""The authority question: which permissions does this caller hold on that target?

One query, or one expression inside the query that fetches the target itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, Func, OuterRef, Q, QuerySet, TextField, Value

from database.fields import OwnerIdField
from tenancy.caller import Caller, Subject
from tenancy.models import (
    Permission,
    PermissionAssignment,
    SpaceMember,
    SubjectKind,
    TargetKind,
)
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
    """The assignments that reach a subject in a Workspace.

    Its own, those of the spaces it is a member of, and those of the Session that it is at work in.
    """
    spaces = SpaceMember.objects.filter(member_uuid=subject.id).values("space")
    reaching: Any = ArraySubquery(spaces)
    for holder in filter(None, (subject.id, subject.session_id)):
        reaching = Func(reaching, Value(holder, OwnerIdField()), function="array_append")
    return PermissionAssignment.objects.filter(
        workspace=workspace_id,
        subject_kind__in=[subject.kind, SubjectKind.COLLABORATION_SPACE, SubjectKind.SESSION],
        subject_uuid__among=reaching,
    )


def permissions_on(target_kind: TargetKind, target: str | OuterRef, caller: Caller) -> Any:
    """An expression: the array of permissions that `caller` holds on one target.

    A grant on the Workspace covers its stores, agents and sessions (contract §0).

    Args:
        target_kind: what kind of thing `target` is.
        target: its identifier, or an OuterRef to the column that holds it.
    """
    return permissions_of(caller.subjects, caller.workspace_id, target_kind, target)


def permissions_of(
    subjects: Sequence[Subject], workspace_id: str, target_kind: TargetKind, target: str | OuterRef
) -> Any:
    """The same expression for any subjects in a Workspace: what each of them holds."""
    held = [_held(subject, workspace_id, target_kind, target) for subject in subjects]
    return ArraySubquery(held[0].intersection(*held[1:]) if held[1:] else held[0])


def _held(
    subject: Subject, workspace_id: str, target_kind: TargetKind, target: str | OuterRef
) -> QuerySet[Any]:
    permission = Func(F("permissions"), function="unnest", output_field=TextField())
    return (
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
    """The permissions that `caller` holds on a target that needs no fetching.

    One query for each of the caller's subjects.
    """
    held = [_held_by(subject, caller.workspace_id, target) for subject in caller.subjects]
    return frozenset.intersection(*held)


def grants_on(
    target: Target, subject: Subject, workspace_id: str
) -> QuerySet[PermissionAssignment]:
    """The assignments that give one subject something on a target, in whichever way they do."""
    covering = _covering(target.kind, target.id, workspace_id)
    return grants_of(subject, workspace_id).filter(covering)


def _held_by(subject: Subject, workspace_id: str, target: Target) -> frozenset[str]:
    grants = grants_on(target, subject, workspace_id).values_list("permissions", flat=True)
    return frozenset(permission for held in grants for permission in held)


def readable(target_kind: TargetKind, caller: Caller, column: str) -> Q:
    """The condition that a caller may read what a column names; a query for each subject.

    Args:
        target_kind: what kind of thing that is.
        column: the lookup of the column with its identifier.
    """
    condition = ~Q(pk__in=[])  # always true, also as a part of an OR, where Q() is nothing
    whole = Target(TargetKind.WORKSPACE, caller.workspace_id)
    for subject in caller.subjects:
        if Permission.READ not in _held_by(subject, caller.workspace_id, whole):
            grants = grants_of(subject, caller.workspace_id).filter(
                target_kind=target_kind, permissions__contains=[Permission.READ]
            )
            condition &= Q((f"{column}__in", grants.values("target_uuid")))
    return condition


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
