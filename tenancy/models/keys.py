from django.db import models

from database.fields import DigestField, OwnerIdField, id_key, owner_id
from tenancy.models.agents import Agent
from tenancy.models.environments import Environment
from tenancy.models.principals import Principal
from tenancy.models.workspaces import Workspace


class ApiKey(models.Model):
    """A bearer credential of one Workspace. Its secret is shown once and kept as a digest.

    A key is bound to a `principal`, or may name one of `may_act_for` in a header, or uses
    grants of its own (contract §0). A key of class `session` acts as the `agent` of one Session,
    for its acting `principal`; one of class `runner` settles Runs of its `environments`.
    """

    class Class(models.TextChoices):
        STANDARD = "standard"
        ADMIN = "admin"
        SESSION = "session"
        RUNNER = "runner"

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
    agent = models.ForeignKey(Agent, models.PROTECT, null=True, blank=True, related_name="+")
    session_uuid = OwnerIdField(null=True, blank=True)
    environments = models.ManyToManyField(Environment, blank=True, related_name="+")
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(key_class__in=["standard", "admin", "session", "runner"]),
                name="key_class_known",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    key_class="session",
                    session_uuid__isnull=False,
                    agent__isnull=False,
                    principal__isnull=False,
                )
                | (~models.Q(key_class="session") & models.Q(session_uuid=None, agent=None)),
                name="key_of_a_session_acts_as_its_agent",
            ),
        ]
        indexes = [
            models.Index(fields=["workspace", "id"], name="api_key_by_workspace"),
            models.Index(
                fields=["session_uuid"],
                condition=models.Q(session_uuid__isnull=False),
                name="api_key_by_session",
            ),
        ]

    def __str__(self) -> str:
        return self.id  # a name is customer text, and this may reach a log (contract X5)

    @property
    def session_id(self) -> str | None:
        """The Session that the key was made for."""
        return owner_id("session", self.session_uuid)
