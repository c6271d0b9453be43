from django.db import models

from database.fields import id_key
from tenancy.models.workspaces import Workspace


class Environment(models.Model):
    """Where Sessions run: what the machinery there can do with mounted memory (contract S1).

    What it can do is said once; an environment that can do something else is another one.
    """

    class MemoryWriter(models.TextChoices):
        """How what an agent writes there becomes a version."""

        NATIVE = "native"
        CAPTURE = "capture"
        NONE = "none"

    class State(models.TextChoices):
        ACTIVE = "active"
        ARCHIVED = "archived"

    id = id_key("environment")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="environments")
    name = models.TextField()
    description = models.TextField(default="", blank=True)
    can_enumerate = models.BooleanField()
    """Whether it can list a whole mounted tree, which a capture needs (contract S5)."""
    memory_writer = models.TextField(choices=MemoryWriter)
    state = models.TextField(choices=State, default=State.ACTIVE)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=["active", "archived"]),
                name="environment_state_known",
            ),
            models.CheckConstraint(
                condition=models.Q(memory_writer__in=["native", "capture", "none"]),
                name="environment_memory_writer_known",
            ),
        ]
        indexes = [models.Index(fields=["workspace", "id"], name="environment_by_workspace")]

    def __str__(self) -> str:
        return self.id  # a name is customer text, and this may reach a log (contract X5)
