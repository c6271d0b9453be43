from django.contrib.postgres.fields import ArrayField
from django.db import models

from database.fields import OwnerIdField, id_key, owner_id
from tenancy.models.workspaces import Workspace


class Permission(models.TextChoices):
    """What a grant can allow. None implies another (contract §0)."""

    READ = "read"
    WRITE = "write"
    REVIEW = "review"
    ACT_AS = "act_as"
    ADMIN = "admin"


class SubjectKind(models.TextChoices):
    PRINCIPAL = "principal"
    AGENT = "agent"
    API_KEY = "api_key"
    SESSION = "session"
    COLLABORATION_SPACE = "collaboration_space"


class TargetKind(models.TextChoices):
    STORE = "store"
    AGENT = "agent"
    SESSION = "session"
    WORKSPACE = "workspace"


class PermissionAssignment(models.Model):
    """A grant: this subject has these permissions on this target. Revoking deletes the row."""

    id = id_key("permission_assignment")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="assignments")
    subject_kind = models.TextField(choices=SubjectKind)
    subject_uuid = OwnerIdField()
    target_kind = models.TextField(choices=TargetKind)
    target_uuid = OwnerIdField()
    permissions = ArrayField(models.TextField(choices=Permission))
    created_at = models.DateTimeField(auto_now_add=True)
    created_by_kind = models.TextField()
    created_by_uuid = OwnerIdField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "workspace",
                    "subject_kind",
                    "subject_uuid",
                    "target_kind",
                    "target_uuid",
                    "permissions",
                ],
                name="assignment_made_once",
            ),
            models.CheckConstraint(
                condition=models.Q(permissions__contained_by=Permission.values)
                & ~models.Q(permissions=[]),
                name="assignment_permissions_known",
            ),
            models.CheckConstraint(
                condition=models.Q(subject_kind__in=SubjectKind.values),
                name="assignment_subject_known",
            ),
            models.CheckConstraint(
                condition=models.Q(target_kind__in=TargetKind.values),
                name="assignment_target_known",
            ),
        ]
        indexes = [
            models.Index(fields=["target_uuid", "subject_uuid"], name="assignment_by_target"),
            models.Index(fields=["workspace", "subject_uuid"], name="assignment_by_subject"),
        ]

    @property
    def subject_id(self) -> str | None:
        """The subject's identifier with its prefix."""
        return owner_id(self.subject_kind, self.subject_uuid)

    @property
    def target_id(self) -> str | None:
        """The target's identifier with its prefix."""
        return owner_id(self.target_kind, self.target_uuid)

    @property
    def created_by_id(self) -> str | None:
        """Who made it, with the prefix; None for the platform."""
        return owner_id(self.created_by_kind, self.created_by_uuid)
