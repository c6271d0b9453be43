from django.db import models

from database.fields import OwnerIdField, owner_id
from tenancy.models.workspaces import Workspace


class AuditEntry(models.Model):
    """One mutation: who, what, when. Written in the mutation's own transaction.

    `detail` holds identifiers, counts, hashes and closed words, never customer text (contract
    X5). Both the credential and the principal it acted for are kept (contract §0).
    """

    id = models.BigAutoField(primary_key=True)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="audit_entries")
    at = models.DateTimeField(auto_now_add=True)
    event = models.TextField()
    actor_kind = models.TextField()
    actor_uuid = OwnerIdField(null=True)
    acting_principal_uuid = OwnerIdField(null=True)
    target_kind = models.TextField()
    target_uuid = OwnerIdField()
    detail = models.JSONField(default=dict)
    request_id = models.TextField(default="")

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "-id"], name="audit_by_workspace"),
            models.Index(fields=["target_uuid", "-id"], name="audit_by_target"),
        ]

    @property
    def target_id(self) -> str | None:
        """The target's identifier with its prefix."""
        return owner_id(self.target_kind, self.target_uuid)

    @property
    def actor_id(self) -> str | None:
        """The actor's identifier with its prefix; None for the platform."""
        return owner_id(self.actor_kind, self.actor_uuid) if self.actor_uuid else None
