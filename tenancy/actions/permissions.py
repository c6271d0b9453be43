"""Assigning and revoking permissions (contract §0 "Grants")."""

from collections.abc import Collection
from typing import Final

from database.transactions import durable, step
from tenancy import registry
from tenancy.administration import (
    bump_authority,
    require_bound,
    require_grant_authority,
    take_turn,
)
from tenancy.audit import record
from tenancy.authority import Target
from tenancy.caller import Caller, Subject
from tenancy.models import Permission, PermissionAssignment, Principal, SubjectKind, TargetKind
from tenancy.queries import find_assignment
from wire.errors import Conflict, Malformed, NotFound

OWNER_PERMISSIONS: Final = (Permission.READ, Permission.WRITE)
"""What the owner of a new store is granted (contract M6)."""


@durable
def assign(
    *,
    caller: Caller,
    subject: Subject,
    target: Target,
    permissions: Collection[Permission],
) -> PermissionAssignment:
    """Grant a subject some permissions on a target.

    Raises:
        NotFound: the subject or the target does not exist here, or is a store that the caller
            may not know of.
        PolicyDenied: the caller may not change grants on the target, or only named its
            principal.
        Malformed: no permission; or `review` for an agent or a service principal.
        Conflict: the very same assignment was made before.
    """
    caller = take_turn(caller)
    require_grant_authority(caller, target)
    require_bound(caller)
    _require_existence(caller, "target", target.kind, target.id)
    _require_existence(caller, "subject", subject.kind, subject.id)
    _require_grantable(subject, permissions)
    return _add_assignment(caller, subject, target, permissions)


@durable
def revoke(*, caller: Caller, assignment_id: str) -> None:
    """Take an assignment back; what the subject reads just now is refused at publication (R5).

    Raises:
        NotFound: the Workspace has no such assignment, or it is on a store that the caller may
            not know of.
        PolicyDenied: the caller may not change grants on the target, or only named its
            principal.
    """
    caller = take_turn(caller)
    assignment = find_assignment(caller, assignment_id, for_update=True)
    require_grant_authority(caller, Target.of(assignment))
    require_bound(caller)
    _audit(caller, assignment, "permission_assignment.revoked")
    assignment.delete()
    bump_authority(caller.workspace_id)


@step
def assign_to_owner(*, caller: Caller, subject: Subject, store_id: str) -> PermissionAssignment:
    """Grant a new store's owner read and write, in the transaction that makes the store (M6).

    The caller needs no authority over grants for it: who may make a store for that owner was
    decided before.
    """
    target = Target(TargetKind.STORE, store_id)
    return _add_assignment(caller, subject, target, OWNER_PERMISSIONS)


@step
def revoke_all_on(*, caller: Caller, target: Target) -> None:
    """Take back every assignment on something that is deleted."""
    assignments = PermissionAssignment.objects.filter(
        workspace=caller.workspace_id, target_kind=target.kind, target_uuid=target.id
    )
    for assignment in assignments:
        _audit(caller, assignment, "permission_assignment.revoked")
    assignments.delete()
    bump_authority(caller.workspace_id)


def _add_assignment(
    caller: Caller, subject: Subject, target: Target, permissions: Collection[Permission]
) -> PermissionAssignment:
    assignment, created = PermissionAssignment.objects.get_or_create(
        workspace_id=caller.workspace_id,
        subject_kind=subject.kind,
        subject_uuid=subject.id,
        target_kind=target.kind,
        target_uuid=target.id,
        permissions=[permission for permission in Permission if permission in permissions],
        defaults={"created_by_kind": caller.kind, "created_by_uuid": caller.id or None},
    )
    if not created:
        raise Conflict(f"{assignment.id} assigns exactly this already.")
    _audit(caller, assignment, "permission_assignment.created")
    bump_authority(caller.workspace_id)
    return assignment


def _require_existence(caller: Caller, field: str, kind: str, id: str) -> None:
    if not registry.exists(kind, caller.workspace_id, id):
        raise NotFound(f"{field}: there is no {kind} {id} in this Workspace.")


def _require_grantable(subject: Subject, permissions: Collection[Permission]) -> None:
    if not permissions:
        raise Malformed("permissions: name at least one.")
    if Permission.REVIEW in permissions and not _may_review(subject):
        raise Malformed("permissions: an agent or a service principal cannot hold `review`.")


def _may_review(subject: Subject) -> bool:
    """Whether somebody answerable for decisions stands behind a subject (contract P3, L2)."""
    if subject.kind == SubjectKind.PRINCIPAL:
        return Principal.objects.filter(id=subject.id, kind=Principal.Kind.PERSON).exists()
    return subject.kind not in {SubjectKind.AGENT, SubjectKind.SESSION}


def _audit(caller: Caller, assignment: PermissionAssignment, event: str) -> None:
    record(
        caller=caller,
        event=event,
        target_kind="permission_assignment",
        target_id=assignment.id,
        detail={
            "subject": assignment.subject_id,
            "target": assignment.target_id,
            "permissions": assignment.permissions,
        },
    )
