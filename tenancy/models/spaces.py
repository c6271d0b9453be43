from django.db import models

from database.fields import OwnerIdField, id_key, owner_id
from tenancy.models.workspaces import Workspace


class CollaborationSpace(models.Model):
    """A place that principals and agents share: its grants reach its members (contract §0)."""

    id = id_key("collaboration_space")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="spaces")
    name = models.TextField()
    description = models.TextField(default="", blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["workspace", "id"], name="space_by_workspace")]

    def __str__(self) -> str:
        return self.id  # a name is customer text, and this may reach a log (contract X5)


class SpaceMember(models.Model):
    """That a principal or an agent belongs to a space."""

    class Kind(models.TextChoices):
        PRINCIPAL = "principal"
        AGENT = "agent"

    id = models.BigAutoField(primary_key=True)
    space = models.ForeignKey(
        CollaborationSpace, models.PROTECT, related_name="members", db_index=False
    )
    member_kind = models.TextField(choices=Kind)
    member_uuid = OwnerIdField()
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["space", "member_uuid"], name="member_once_a_space"),
            models.CheckConstraint(
                condition=models.Q(member_kind__in=["principal", "agent"]),
                name="member_kind_known",
            ),
        ]
        indexes = [models.Index(fields=["member_uuid", "space"], name="spaces_by_member")]

    @property
    def member_id(self) -> str:
        """The member's identifier with its prefix."""
        return owner_id(self.member_kind, self.member_uuid) or ""
