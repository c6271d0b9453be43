from typing import Final

from django.db import models
from django.db.models.functions import Now

from database.fields import BytewiseTextField, OwnerIdField, id_key, owner_id
from tenancy.models import Workspace


class JobState(models.TextChoices):
    """Where a job stands. The last two are final."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


LIVE: Final = (JobState.QUEUED, JobState.RUNNING)


class Job(models.Model):
    """One piece of slow work: committed with the change that needs it, resumed from `position`.

    No customer text stands here (contract X5): `parameters`, `position` and `result` hold
    identifiers, counts and closed words; `error` is a type's name.

    `epoch` rises whenever somebody takes the job. Whatever a worker writes compares it, so one
    that was given up for dead and wakes up late writes nothing.
    """

    id = id_key("job")
    workspace = models.ForeignKey(
        Workspace, models.PROTECT, null=True, related_name="jobs", db_index=False
    )
    """None for the installation's own jobs."""
    kind = BytewiseTextField()
    target_kind = models.TextField(null=True)
    target_uuid = OwnerIdField(null=True)
    parameters = models.JSONField(default=dict)
    slot = BytewiseTextField(null=True)
    """What no two live jobs may share; None lets any number live beside each other."""
    state = models.TextField(choices=JobState, default=JobState.QUEUED)
    done = models.BigIntegerField(default=0)
    total = models.BigIntegerField(null=True)
    position = models.JSONField(default=dict)
    result = models.JSONField(default=dict)
    error = models.TextField(null=True)
    attempts = models.IntegerField(default=0)
    """How often it was taken since it last got on."""
    epoch = models.BigIntegerField(default=0)
    lease_owner = models.TextField(null=True)
    lease_until = models.DateTimeField(null=True)
    not_before = models.DateTimeField(db_default=Now())
    offered_at = models.DateTimeField(db_default=Now())
    created_by_kind = models.TextField(null=True)
    created_by_uuid = OwnerIdField(null=True)
    acting_principal_uuid = OwnerIdField(null=True)
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state="running", lease_owner__isnull=False)
                & models.Q(lease_until__isnull=False)
                | models.Q(
                    state__in=["queued", "succeeded", "failed"], lease_owner=None, lease_until=None
                ),
                name="job_leased_while_running",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["queued", "running"], finished_at=None)
                | models.Q(state__in=["succeeded", "failed"], finished_at__isnull=False),
                name="job_finished_when_final",
            ),
            models.UniqueConstraint(
                fields=["slot"],
                condition=models.Q(state__in=["queued", "running"]),
                name="job_alone_in_its_slot",
            ),
        ]
        indexes = [
            models.Index(fields=["workspace", "-id"], name="job_by_workspace"),
            models.Index(fields=["target_uuid", "-id"], name="job_by_target"),
            models.Index(
                fields=["not_before"],
                condition=models.Q(state__in=["queued", "running"]),
                name="job_live",
            ),
        ]

    def __str__(self) -> str:
        return self.id

    @property
    def target_id(self) -> str | None:
        """The target's identifier with its prefix."""
        return owner_id(self.target_kind, self.target_uuid)

    @property
    def created_by_id(self) -> str | None:
        """The identifier of the credential that asked for it; None for the platform."""
        return owner_id(self.created_by_kind, self.created_by_uuid)

    @property
    def is_live(self) -> bool:
        """Whether there is still something to wait for."""
        return self.state in LIVE

    @property
    def percent(self) -> int | None:
        """How much is done, in whole percent; None while the total is unknown."""
        return min(100, 100 * self.done // self.total) if self.total else None
