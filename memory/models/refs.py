from django.db import models

from database.append_only import AppendOnly
from database.fields import OwnerIdField, owner_id
from memory.models.stores import MemoryStore
from memory.models.versions import MemoryVersion


class RefKind(models.TextChoices):
    """What a ref stands for (contract M4)."""

    CANONICAL = "canonical"
    SESSION = "session"
    PROPOSAL = "proposal"
    CURATION = "curation"


class Ref(models.Model):
    """A named pointer at one version: the only mutable part of a store (contract M4).

    Moved by compare-and-swap in the database, never by saving a loaded row.
    """

    id = models.BigAutoField(primary_key=True)
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="refs", db_index=False)
    kind = models.TextField(choices=RefKind)
    owner_uuid = OwnerIdField(null=True)
    version = models.ForeignKey(MemoryVersion, models.PROTECT, related_name="refs")
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["store", "kind", "owner_uuid"],
                name="ref_once_a_name",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=models.Q(kind="canonical", owner_uuid=None)
                | models.Q(kind__in=["session", "proposal", "curation"], owner_uuid__isnull=False),
                name="ref_named_by_kind_and_owner",
            ),
        ]
        indexes = [
            models.Index(
                fields=["owner_uuid"],
                condition=models.Q(kind="session"),
                name="ref_by_session",
            )
        ]

    @property
    def owner_id(self) -> str | None:
        """The identifier of the Session, Proposal or curation run; None for canonical."""
        return owner_id(self.kind, self.owner_uuid)


class RefMove(models.Model):
    """One movement of a ref: the reflog. None before = created, None after = released."""

    id = models.BigAutoField(primary_key=True)
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="ref_moves", db_index=False)
    kind = models.TextField(choices=RefKind)
    owner_uuid = OwnerIdField(null=True)
    # Without constraints: see memory.erasure.draining.
    before = models.ForeignKey(
        MemoryVersion,
        models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    after = models.ForeignKey(
        MemoryVersion,
        models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    actor_kind = models.TextField()
    actor_uuid = OwnerIdField(null=True)
    actor_agent_uuid = OwnerIdField(null=True)
    actor_operation = models.TextField(null=True)
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["store", "-id"], name="ref_move_by_store")]
        triggers = [AppendOnly()]

    @property
    def owner_id(self) -> str | None:
        """The identifier of the Session, Proposal or curation run; None for canonical."""
        return owner_id(self.kind, self.owner_uuid)
