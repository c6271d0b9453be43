"""Why somebody may do something, or not: the very grants that the authority question counts."""

from collections.abc import Sequence
from dataclasses import dataclass

from tenancy.authority import Target, grants_on, holds
from tenancy.caller import Subject
from tenancy.models import Permission, PermissionAssignment


@dataclass(frozen=True, slots=True)
class Holder:
    """One whose grants count, and those of them that reach the target.

    Its own, those of its spaces and those of its Session, on the target itself or on the whole
    Workspace: the assignment says which.
    """

    subject: Subject
    grants: Sequence[PermissionAssignment]

    @property
    def held(self) -> frozenset[str]:
        """What all its grants come to."""
        return frozenset(permission for grant in self.grants for permission in grant.permissions)

    def grants_of(self, permission: Permission) -> list[PermissionAssignment]:
        """The grants that bring one permission; no other is needed."""
        return [grant for grant in self.grants if permission in grant.permissions]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What some subjects together may do with a target: what each of them holds."""

    holders: Sequence[Holder]

    @property
    def held(self) -> frozenset[str]:
        """The permissions that every one of them holds."""
        return frozenset.intersection(*(holder.held for holder in self.holders))

    def allows(self, permission: Permission) -> bool:
        """Whether a check of `permission` passes, as far as grants go."""
        return holds(self.held, permission)


def explain(subjects: Sequence[Subject], workspace_id: str, target: Target) -> Explanation:
    """Gather the grants behind an answer of the authority question; a query for each subject.

    Args:
        subjects: those whose grants count, such as a Caller's (contract §0).
    """
    holders = [
        Holder(subject, list(grants_on(target, subject, workspace_id).order_by("id")))
        for subject in subjects
    ]
    return Explanation(holders)
