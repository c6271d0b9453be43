from django.db import models

from database.fields import BytewiseTextField, id_key


class Workspace(models.Model):
    """One tenant. Nothing is ever shared between two of them.

    `authority_epoch` rises with each change of keys, grants or tenancy state, so that a
    publication recheck can see in one cheap read that nothing about authority changed.
    """

    class State(models.TextChoices):
        ACTIVE = "active"
        DISABLED = "disabled"

    id = id_key("workspace")
    name = BytewiseTextField(unique=True)
    state = models.TextField(choices=State, default=State.ACTIVE)
    authority_epoch = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(name__regex=r"^[a-z0-9][a-z0-9-]{0,62}$"),
                name="workspace_name_is_a_slug",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["active", "disabled"]), name="workspace_state_known"
            ),
        ]

    def __str__(self) -> str:
        return self.id
