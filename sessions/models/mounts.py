from typing import Final

from django.contrib.postgres.fields import ArrayField
from django.db import models

from database.fields import BytewiseTextField, OwnerIdField, owner_id
from memory.models import MemoryStore
from sessions.models.sessions import Session


class Access(models.TextChoices):
    """What a mount lets a Session do. `none` is never asked for, only what comes of it."""

    NONE = "none"
    READ_ONLY = "read_only"
    READ_WRITE = "read_write"


class SelectionKind(models.TextChoices):
    """What a mount may select instead of the current state (contract S3)."""

    CANONICAL = "canonical"
    SESSION = "session"
    PROPOSAL = "proposal"
    CURATION = "curation"
    VERSION = "version"


MOUNTS_AT_MOST: Final = 32

SELECTION_OF_A_KNOWN_FORM: Final = (
    models.Q(selection_kind=None, selection_uuid=None)
    | models.Q(selection_kind="canonical", selection_uuid=None)
    | models.Q(
        selection_kind__in=["session", "proposal", "curation", "version"],
        selection_uuid__isnull=False,
    )
)


class Selecting(models.Model):
    """What may select a version or a ref instead of the current state (contract S3)."""

    selection_kind = models.TextField(choices=SelectionKind, null=True)
    selection_uuid = OwnerIdField(null=True)

    class Meta:
        abstract = True

    @property
    def selection_id(self) -> str | None:
        """The selected version, or the owner of the selected ref, with its prefix."""
        return owner_id(self.selection_kind, self.selection_uuid)


class Mount(Selecting):
    """A store that a Session declared at its creation, and what came of it then (contract S1).

    `effective` and `reasons` tell of the admission. What holds at a Run's start is resolved anew.
    A mount goes by its position in the Session, from 1.
    """

    id = models.BigAutoField(primary_key=True)
    session = models.ForeignKey(Session, models.PROTECT, related_name="mounts", db_index=False)
    position = models.SmallIntegerField()
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="mounts")
    requested = models.TextField(choices=Access)
    effective = models.TextField(choices=Access)
    reasons = ArrayField(models.TextField(), default=list)
    mount_path = BytewiseTextField(null=True)
    instructions = models.TextField(null=True)
    """Words for the agent: customer text, and erasable (contract X5)."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "position"], name="mount_once_a_position"),
            models.UniqueConstraint(fields=["session", "store"], name="mount_once_a_store"),
            models.CheckConstraint(
                condition=models.Q(position__range=(1, MOUNTS_AT_MOST)),
                name="mount_position_in_range",
            ),
            models.CheckConstraint(
                condition=models.Q(requested__in=["read_only", "read_write"])
                & models.Q(effective__in=["none", "read_only", "read_write"])
                & ~models.Q(requested="read_only", effective="read_write"),
                name="mount_access_known",
            ),
            models.CheckConstraint(
                condition=SELECTION_OF_A_KNOWN_FORM,
                name="mount_selection_of_a_known_form",
            ),
        ]
