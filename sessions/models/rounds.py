from django.db import models

from database.fields import BytewiseTextField, OwnerIdField, id_key, owner_id
from memory.models import IdempotencyReceipt, MemoryVersion
from sessions.models.checkpoints import Checkpoint
from sessions.models.inputs import InputMount, SessionInput


class Round(models.Model):
    """One turn of an input: it reads frozen versions, and writes once (contract M5, S6).

    The rounds of an input come one after the other: the next is entered when the last is finished.
    """

    class State(models.TextChoices):
        ENTERED = "entered"
        FINISHED = "finished"

    id = id_key("round")
    input = models.ForeignKey(SessionInput, models.PROTECT, related_name="rounds", db_index=False)
    position = models.IntegerField()
    state = models.TextField(choices=State, default=State.ENTERED)
    entered_at = models.DateTimeField()
    entered_by_kind = models.TextField()
    entered_by_uuid = OwnerIdField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["input", "position"], name="round_once_a_position"),
            models.UniqueConstraint(
                fields=["input"],
                condition=models.Q(state="entered"),
                name="round_entered_once_an_input",
            ),
            models.CheckConstraint(
                condition=models.Q(state="entered", finished_at=None)
                | models.Q(state="finished", finished_at__isnull=False),
                name="round_state_known",
            ),
        ]

    def __str__(self) -> str:
        return self.id

    @property
    def entered_by_id(self) -> str:
        """The credential that entered it, with its prefix."""
        return owner_id(self.entered_by_kind, self.entered_by_uuid) or ""


class MemoryCall(models.Model):
    """A round's single memory.write call, committed with its receipt (contract S6).

    The checkpoint is None when the call altered nothing. Once the receipt forgot what was sent,
    because that was redacted, nothing is told of the call any more.
    """

    id = models.BigAutoField(primary_key=True)
    round = models.OneToOneField(Round, models.PROTECT, related_name="call")
    name = BytewiseTextField()
    """What the runtime calls it."""
    mount = models.ForeignKey(InputMount, models.PROTECT, related_name="calls")
    base = models.ForeignKey(MemoryVersion, models.PROTECT, related_name="+")
    checkpoint = models.OneToOneField(
        Checkpoint, models.PROTECT, null=True, related_name="memory_call"
    )
    receipt = models.OneToOneField(IdempotencyReceipt, models.PROTECT, related_name="memory_call")
    at = models.DateTimeField()
