from django.db import models

from database.append_only import AppendOnly
from database.fields import BytewiseTextField, DigestField, OwnerIdField, id_key
from memory.models.stores import MemoryStore


class VersionKind(models.TextChoices):
    """Which write made a version (contract M3)."""

    INITIAL = "initial"
    DIRECT = "direct"
    SESSION_CHECKPOINT = "session_checkpoint"
    CURATION = "curation"
    PROPOSAL = "proposal"
    REDACTION = "redaction"
    IMPORT = "import"


class ActorKind(models.TextChoices):
    """Who made a version (contract M3)."""

    PRINCIPAL = "principal"
    API_KEY = "api_key"
    SESSION_AGENT = "session_agent"
    CURATOR = "curator"
    PLATFORM = "platform"


class MemoryVersion(models.Model):
    """An immutable snapshot of a store's whole tree (contract M3).

    `depth` counts the parents above; `jump` is an ancestor chosen so that any ancestor is
    reached in logarithmically many hops (a skew-binary skip list over parents).
    """

    id = id_key("version")
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="versions", db_index=False)
    parent = models.ForeignKey("self", models.PROTECT, null=True, related_name="children")
    jump = models.ForeignKey("self", models.PROTECT, null=True, related_name="+")
    depth = models.IntegerField()
    kind = models.TextField(choices=VersionKind)
    actor_kind = models.TextField(choices=ActorKind)
    actor_uuid = OwnerIdField(null=True)
    actor_agent_uuid = OwnerIdField(null=True)
    actor_operation = models.TextField(null=True)
    document_count = models.IntegerField()
    total_bytes = models.BigIntegerField()
    tree_hash = DigestField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind__in=VersionKind.values), name="version_kind_known"
            ),
            models.CheckConstraint(
                condition=models.Q(
                    actor_kind="platform",
                    actor_uuid=None,
                    actor_agent_uuid=None,
                    # A CHECK lets NULL pass, and NULL IN (…) is NULL.
                    actor_operation__isnull=False,
                    actor_operation__in=["import", "redaction"],
                )
                | models.Q(
                    actor_kind="session_agent",
                    actor_uuid__isnull=False,
                    actor_agent_uuid__isnull=False,
                    actor_operation=None,
                )
                | models.Q(
                    actor_kind__in=["principal", "api_key", "curator"],
                    actor_uuid__isnull=False,
                    actor_agent_uuid=None,
                    actor_operation=None,
                ),
                name="version_actor_of_a_known_form",
            ),
        ]
        indexes = [
            models.Index(fields=["store", "-id"], name="version_by_store"),
            # Parents first, then by ID: the order of exports (contract E2).
            models.Index(fields=["store", "depth", "id"], name="version_by_depth"),
        ]
        triggers = [AppendOnly()]

    def __str__(self) -> str:
        return self.id


class VersionNote(models.Model):
    """The erasable words beside a version: its message, and what an import claimed of it.

    Attributes:
        source_id, source_time: of the commit or the revision that it was imported from.
        source_kind, source_actor: what the export says of how the revision came to be.
        erased_at: since when a message is gone that a redaction took (contract X1).
    """

    version = models.OneToOneField(
        MemoryVersion, models.PROTECT, primary_key=True, related_name="note"
    )
    message = models.TextField(null=True)
    source_id = models.TextField(null=True)
    source_time = models.DateTimeField(null=True)
    source_kind = models.TextField(null=True)
    source_actor = models.JSONField(null=True)
    erased_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(message=None) | models.Q(erased_at=None),
                name="note_without_a_message_once_erased",
            )
        ]


class VersionChange(models.Model):
    """One path that a version changed against its parent; None before = added, after = deleted."""

    id = models.BigAutoField(primary_key=True)
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="+", db_index=False)
    version = models.ForeignKey(
        MemoryVersion, models.PROTECT, related_name="changes", db_index=False
    )
    path = BytewiseTextField()
    # Without constraints: see memory.erasure.draining.
    before = models.ForeignKey(
        "memory.DocumentVersion",
        models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    after = models.ForeignKey(
        "memory.DocumentVersion",
        models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "path"], name="change_once_a_version"),
            models.CheckConstraint(
                condition=~models.Q(before=None, after=None), name="change_changes_something"
            ),
        ]
        indexes = [models.Index(fields=["store", "path", "-version"], name="change_by_path")]
        triggers = [AppendOnly()]
