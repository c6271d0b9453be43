from django.conf import settings
from django.db import models

from database.fields import id_key
from tenancy.models.workspaces import Workspace


class Principal(models.Model):
    """Somebody or something that acts in a Workspace: a person who signs in, or a service."""

    class Kind(models.TextChoices):
        PERSON = "person"
        SERVICE = "service"

    class State(models.TextChoices):
        ACTIVE = "active"
        DISABLED = "disabled"

    id = id_key("principal")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="principals")
    kind = models.TextField(choices=Kind)
    name = models.TextField()
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="principals"
    )
    is_admin = models.BooleanField(default=False)
    state = models.TextField(choices=State, default=State.ACTIVE)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "user"], name="one_principal_a_user"),
            models.CheckConstraint(
                condition=models.Q(kind="person") | models.Q(user=None, is_admin=False),
                name="services_neither_sign_in_nor_administer",
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=["person", "service"]), name="principal_kind_known"
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["active", "disabled"]), name="principal_state_known"
            ),
        ]
        indexes = [models.Index(fields=["workspace", "id"], name="principal_by_workspace")]

    def __str__(self) -> str:
        return self.id  # a name is customer text, and this may reach a log (contract X5)
