from django.db import models

from database.fields import BytewiseTextField, OwnerIdField, id_key, owner_id
from sessions.models.guards import NotRewritten
from sessions.models.sessions import Session


class EventKind(models.TextChoices):
    """What a Session's log tells of."""

    MOUNT_RESOLVED = "memory.mount_resolved"
    ACCESSED = "memory.accessed"
    CHANGE_CHECKPOINTED = "memory.change_checkpointed"
    RESOURCES_RESOLVED = "session.resources_resolved"
    ARCHIVED = "session.archived"
    ERASURE_REQUESTED = "session.erasure_requested"
    ERASED = "session.erased"
    RUN_REFUSED = "run.refused"


class Event(models.Model):
    """One entry of a Session's log (contract S4).

    `told` holds identifiers, hashes, counts and closed words, never a path: which paths a version
    holds or changed is read from the version itself, under the grants of whoever reads.
    """

    id = id_key("event")
    session = models.ForeignKey(Session, models.PROTECT, related_name="events", db_index=False)
    position = models.IntegerField()
    kind = models.TextField(choices=EventKind)
    run_uuid = OwnerIdField(null=True)
    turn = BytewiseTextField(null=True)
    told = models.JSONField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "position"], name="event_once_a_position"),
            models.CheckConstraint(
                condition=models.Q(kind__in=EventKind.values), name="event_kind_known"
            ),
        ]
        triggers = [NotRewritten()]

    @property
    def run_id(self) -> str | None:
        """The Run that it happened in, if it did."""
        return owner_id("run", self.run_uuid)
