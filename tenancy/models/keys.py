from django.db import models

from database.fields import DigestField, id_key
from tenancy.models.principals import Principal
from tenancy.models.workspaces import Workspace


class ApiKey(models.Model):
    """A bearer credential of one Workspace. Its secret is shown once and kept as a digest.

    A key is bound to a `principal`, or may name one of `may_act_for` in a header, or uses
    grants of its own (contract §0).
    """

    class Class(models.TextChoices):
        STANDARD = "standard"
        ADMIN = "admin"

    id = id_key("api_key")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="api_keys")
    name = models.TextField()
    key_class = models.TextField(choices=Class, default=Class.STANDARD)
    digest = DigestField(unique=True)
    hint = models.TextField()
    principal = models.ForeignKey(
        Principal, models.PROTECT, null=True, blank=True, related_name="api_keys"
    )
    may_act_for = models.ManyToManyField(Principal, blank=True, related_name="+")
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(key_class__in=["standard", "admin"]), name="key_class_known"
            ),
        ]
        indexes = [models.Index(fields=["workspace", "id"], name="api_key_by_workspace")]

    def __str__(self) -> str:
        return self.id  # a name is customer text, and this may reach a log (contract X5)
