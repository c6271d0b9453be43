from django.db import models

from database.fields import BytewiseTextField, OwnerIdField, owner_id
from jobs.models import Job
from memory.models.stores import MemoryStore
from tenancy.models import Workspace


class PathFence(models.Model):
    """A path that was redacted: nothing is ever written there again (contract X1)."""

    store = models.ForeignKey(
        MemoryStore, models.PROTECT, related_name="path_fences", db_index=False
    )
    path = BytewiseTextField()
    fenced_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["store", "path"], name="fence_once_a_path")]


class ErasureReport(models.Model):
    """What one erasure took away, told by counts; each place it concerns is a sink (X4).

    It goes by the ID of its job, which reads back what can be looked at.
    """

    class Operation(models.TextChoices):
        REDACTION = "redaction"
        STORE_DELETION = "store_deletion"
        RETENTION = "retention"
        SESSION_ERASURE = "session_erasure"

    job = models.OneToOneField(Job, models.PROTECT, primary_key=True, related_name="erasure_report")
    workspace = models.ForeignKey(
        Workspace, models.PROTECT, related_name="erasure_reports", db_index=False
    )
    store = models.ForeignKey(MemoryStore, models.PROTECT, null=True, related_name="+")
    operation = models.TextField(choices=Operation)
    version_count = models.BigIntegerField(default=0)
    path_count = models.BigIntegerField(default=0)
    hash_count = models.BigIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(
                    operation__in=["redaction", "store_deletion", "retention", "session_erasure"]
                ),
                name="erasure_operation_known",
            )
        ]
        indexes = [models.Index(fields=["workspace", "-job"], name="erasure_by_workspace")]


class Sink(models.TextChoices):
    """A place where erased text may still be (contract X4).

    The first four can be looked at. `search_index` is what search can find: the word vectors,
    which go with the rows. The words that PostgreSQL leaves in pages of the index, even after a
    VACUUM, are in `table_pages`, like the texts it leaves in pages of tables.
    """

    ROWS = "rows"
    SEARCH_INDEX = "search_index"
    RECEIPTS = "receipts"
    CACHES = "caches"
    NATIVE_CONTINUATION_STATE = "native_continuation_state"
    TABLE_PAGES = "table_pages"
    WAL = "wal"
    REPLICAS = "replicas"
    POINT_IN_TIME_RECOVERY = "point_in_time_recovery"
    RESTORE_BRANCHES = "restore_branches"
    BACKUPS = "backups"


class SinkState(models.TextChoices):
    """What is known of a sink: `cleared` only when somebody looked, or an operator says so."""

    PENDING = "pending"
    CLEARED = "cleared"


class SinkEvidence(models.TextChoices):
    """How it is known that a sink is cleared."""

    READ_BACK = "read_back"
    SCRUBBED = "scrubbed"
    ATTESTED = "attested"


class ErasureSink(models.Model):
    """The state of one sink of an erasure, and how it is known."""

    report = models.ForeignKey(ErasureReport, models.CASCADE, related_name="sinks", db_index=False)
    sink = models.TextField(choices=Sink)
    state = models.TextField(choices=SinkState, default=SinkState.PENDING)
    evidence = models.TextField(choices=SinkEvidence, null=True)
    attested_by_kind = models.TextField(null=True)
    attested_by_uuid = OwnerIdField(null=True)
    at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["report", "sink"], name="sink_once_a_report"),
            models.CheckConstraint(condition=models.Q(sink__in=Sink.values), name="sink_known"),
            models.CheckConstraint(
                condition=models.Q(state="pending", evidence=None, at=None)
                | models.Q(
                    state="cleared",
                    # A CHECK lets NULL pass, and NULL IN (…) is NULL.
                    evidence__isnull=False,
                    evidence__in=SinkEvidence.values,
                    at__isnull=False,
                ),
                name="sink_cleared_by_evidence",
            ),
        ]

    @property
    def attested_by_id(self) -> str | None:
        """The identifier of the operator who says that it is cleared."""
        return owner_id(self.attested_by_kind, self.attested_by_uuid)
