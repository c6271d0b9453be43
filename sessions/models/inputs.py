from django.db import models

from database.fields import OwnerIdField, id_key, owner_id
from memory.models import MemoryStore, MemoryVersion
from sessions.models.mounts import SELECTION_OF_A_KNOWN_FORM, Selecting
from sessions.models.sessions import Session


class SessionInput(models.Model):
    """Something that a Session was asked, and what it may read and write for it (contract S6).

    It keeps no word of what was asked. Rounds work on it, one after the other.
    """

    id = id_key("input")
    session = models.ForeignKey(Session, models.PROTECT, related_name="inputs", db_index=False)
    created_at = models.DateTimeField()
    created_by_kind = models.TextField()
    created_by_uuid = OwnerIdField()

    class Meta:
        indexes = [models.Index(fields=["session", "-id"], name="input_by_session")]

    def __str__(self) -> str:
        return self.id

    @property
    def created_by_id(self) -> str:
        """The credential that sent it, with its prefix."""
        return owner_id(self.created_by_kind, self.created_by_uuid) or ""


class InputMount(Selecting):
    """What one mount comes to for an input, from its acceptance on: the plan (contract S6).

    `version` is what its first round reads, whatever the selection comes to later; None once that
    was erased, and then the plan is unavailable. `is_writable` is the write offering.
    """

    id = models.BigAutoField(primary_key=True)
    input = models.ForeignKey(SessionInput, models.PROTECT, related_name="mounts", db_index=False)
    position = models.SmallIntegerField()
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="+")
    version = models.ForeignKey(MemoryVersion, models.PROTECT, null=True, related_name="+")
    is_writable = models.BooleanField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["input", "position"], name="input_mount_once_a_position"
            ),
            models.CheckConstraint(
                condition=SELECTION_OF_A_KNOWN_FORM, name="input_mount_selection_of_a_known_form"
            ),
        ]
