from django.db import models

from database.fields import id_key
from tenancy.models.workspaces import Workspace


class Agent(models.Model):
    """An agent definition: what Sessions run, and a subject of grants of its own."""

    class State(models.TextChoices):
        ACTIVE = "active"
        ARCHIVED = "archived"

    id = id_key("agent")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="agents")
    name = models.TextField()
    description = models.TextField(default="", blank=True)
    state = models.TextField(choices=State, default=State.ACTIVE)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=["active", "archived"]), name="agent_state_known"
            ),
        ]
        indexes = [models.Index(fields=["workspace", "id"], name="agent_by_workspace")]

    def __str__(self) -> str:
        return self.id  # a name is customer text, and this may reach a log (contract X5)
