from typing import Final

from django.db import models

from database.fields import OwnerIdField, id_key, owner_id
from tenancy.models import Agent, CollaborationSpace, Environment, Principal, Workspace


class Place(models.TextChoices):
    """Where a Session takes place, which says who is listening (contract S1)."""

    PERSONAL = "personal"
    DM = "dm"
    PRIVATE = "private"
    PUBLIC = "public"


SHARED_PLACES: Final = frozenset({Place.PRIVATE, Place.PUBLIC})
"""Places of a space, where others than the acting principal take part."""


class Session(models.Model):
    """One agent at work for one principal, with the memory that it mounts (contract S1).

    `event_count` numbers the events: whoever appends one holds the row until the transaction
    ends, so that positions have no holes and appear in their order.
    """

    class State(models.TextChoices):
        ACTIVE = "active"
        ARCHIVED = "archived"
        ERASING = "erasing"
        ERASED = "erased"

    id = id_key("session")
    workspace = models.ForeignKey(
        Workspace, models.PROTECT, related_name="sessions", db_index=False
    )
    agent = models.ForeignKey(Agent, models.PROTECT, related_name="sessions")
    environment = models.ForeignKey(Environment, models.PROTECT, related_name="sessions")
    principal = models.ForeignKey(Principal, models.PROTECT, related_name="sessions")
    """For whom the agent acts; both need their grants (contract S2)."""
    place = models.TextField(choices=Place)
    space = models.ForeignKey(
        CollaborationSpace, models.PROTECT, null=True, related_name="sessions"
    )
    state = models.TextField(choices=State, default=State.ACTIVE)
    event_count = models.IntegerField(default=0)
    created_at = models.DateTimeField()
    created_by_kind = models.TextField()
    created_by_uuid = OwnerIdField()
    archived_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(place__in=["personal", "dm"], space=None)
                | models.Q(place__in=["private", "public"], space__isnull=False),
                name="session_shared_in_a_space",
            ),
            models.CheckConstraint(
                condition=models.Q(state="active", archived_at=None)
                | models.Q(state="archived", archived_at__isnull=False)
                | models.Q(state__in=["erasing", "erased"]),
                name="session_state_known",
            ),
        ]
        indexes = [
            models.Index(fields=["workspace", "-id"], name="session_by_workspace"),
            models.Index(fields=["principal", "-id"], name="session_by_principal"),
        ]

    def __str__(self) -> str:
        return self.id

    @property
    def created_by_id(self) -> str:
        """The credential that asked for it, with its prefix."""
        return owner_id(self.created_by_kind, self.created_by_uuid) or ""

    @property
    def is_being_erased(self) -> bool:
        """Whether its erasure was asked for: nothing that it knew is told any more (S7)."""
        return self.state in {self.State.ERASING, self.State.ERASED}

    @property
    def is_in_a_shared_place(self) -> bool:
        """Whether others take part (contract S2)."""
        return self.place in SHARED_PLACES
