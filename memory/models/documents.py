from django.contrib.postgres.indexes import GinIndex
from django.db import models

from database.append_only import AppendOnly
from database.fields import BytewiseTextField, DigestField, OwnerIdField, id_key
from database.vectors import VectorField
from memory.models.stores import MemoryStore
from memory.models.versions import MemoryVersion


class DocumentVersion(models.Model):
    """One write of a document at a path: its structure, which outlives its text (contract M7)."""

    id = id_key("document")
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="+", db_index=False)
    path = BytewiseTextField()
    content_sha256 = DigestField()
    media_type = models.TextField()
    bytes = models.IntegerField()
    provenance_sha256 = DigestField(null=True)
    introduced_by = models.ForeignKey(
        MemoryVersion,
        models.PROTECT,
        related_name="documents",
        db_index=False,
        db_constraint=False,  # see memory.erasure.draining
    )
    expires_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["store", "id"], name="document_version_by_store"),
            models.Index(fields=["store", "path", "id"], name="document_version_by_path"),
            models.Index(
                fields=["store", "expires_at", "id"],
                condition=models.Q(expires_at__isnull=False),
                name="document_version_by_expiry",
            ),
        ]
        triggers = [AppendOnly()]

    def __str__(self) -> str:
        return self.id


class DocumentBody(models.Model):
    """The text itself, its raw provenance and its words. Erasing is deleting this row.

    `memory.documents.bodies.body_row` makes one, with the words that search finds it by.
    """

    document_version = models.OneToOneField(
        DocumentVersion, models.PROTECT, primary_key=True, related_name="body"
    )
    text = models.TextField()
    provenance = models.JSONField(null=True)
    search_vector = VectorField()

    class Meta:
        indexes = [
            # A short list of pending entries: searches read all of it, and it makes writes cheap.
            GinIndex(fields=["search_vector"], name="body_by_words", gin_pending_list_limit=256)
        ]


class BodyErasure(models.Model):
    """Why, when and by which job a body went (contract M7)."""

    class Reason(models.TextChoices):
        REDACTED = "redacted"
        EXPIRED = "expired"
        RETIRED = "retired"
        IMPORTED = "imported"

    document_version = models.OneToOneField(
        DocumentVersion, models.PROTECT, primary_key=True, related_name="erasure"
    )
    reason = models.TextField(choices=Reason)
    erased_at = models.DateTimeField()
    job_uuid = OwnerIdField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(reason__in=["redacted", "expired", "retired", "imported"]),
                name="erasure_reason_known",
            )
        ]
        indexes = [
            models.Index(
                fields=["job_uuid"],
                condition=models.Q(job_uuid__isnull=False),
                name="erasure_by_job",
            )
        ]
