from django.db import models

from database.fields import BytewiseTextField
from memory.models import MemoryStore, MemoryVersion
from sessions.models.sessions import Session


class Checkpoint(models.Model):
    """That a turn of a Session sealed a version of a store: at most one (contract M5, C7)."""

    id = models.BigAutoField(primary_key=True)
    session = models.ForeignKey(Session, models.PROTECT, related_name="checkpoints", db_index=False)
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="checkpoints")
    turn = BytewiseTextField()
    base = models.ForeignKey(MemoryVersion, models.PROTECT, related_name="+", db_index=False)
    version = models.OneToOneField(MemoryVersion, models.PROTECT, related_name="checkpoint")
    canonical_advanced = models.BooleanField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session", "store", "turn"], name="checkpoint_once_a_turn"
            ),
            models.CheckConstraint(
                condition=~models.Q(base=models.F("version")), name="checkpoint_changes_something"
            ),
        ]
