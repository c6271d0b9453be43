from typing import Final

from django.db import models

from database.fields import OwnerIdField, id_key, owner_id
from sessions.models.sessions import Session


class Run(models.Model):
    """One turn of a Session: its mounts are frozen at its start, settling ends it (contract S5).

    The erasure of its Session stops it: it is not settled any more (contract S7).

    What each mount came to is told by the Session's log (`session.resources_resolved`).
    """

    class State(models.TextChoices):
        RUNNING = "running"
        FAILED = "failed"
        PARTIALLY_SETTLED = "partially_settled"
        SETTLED = "settled"
        STOPPED = "stopped"

    id = id_key("run")
    session = models.ForeignKey(Session, models.PROTECT, related_name="runs", db_index=False)
    state = models.TextField(choices=State, default=State.RUNNING)
    created_at = models.DateTimeField()
    created_by_kind = models.TextField()
    created_by_uuid = OwnerIdField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=["running", "partially_settled"], ended_at=None)
                | models.Q(state__in=["failed", "settled", "stopped"], ended_at__isnull=False),
                name="run_state_known",
            ),
        ]
        indexes = [models.Index(fields=["session", "-id"], name="run_by_session")]

    def __str__(self) -> str:
        return self.id

    @property
    def created_by_id(self) -> str:
        """The credential that started it, with its prefix."""
        return owner_id(self.created_by_kind, self.created_by_uuid) or ""


ENDED: Final = frozenset({Run.State.FAILED, Run.State.SETTLED, Run.State.STOPPED})
"""States in which a Run is not settled any more."""
