from django.contrib.postgres.fields import ArrayField
from django.db import models

from database.fields import BytewiseTextField, DigestField, IdField, OwnerIdField, owner_id
from jobs.models import Job
from memory.models.stores import MemoryStore
from memory.models.versions import MemoryVersion
from tenancy.models import Workspace


class ImportState(models.TextChoices):
    """Where an import stands. The last two are final."""

    RECEIVING = "receiving"
    BUILDING = "building"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class StoreImport(models.Model):
    """The making of a store out of an export (contract I1). It goes by the store's ID.

    The store is `pending` until the import succeeds, and only who began the import knows of it.

    Attributes:
        manifest: as every page of the export has it; None until the first page came.
        whole: whether a whole export came instead of pages.
        error: what is wrong with the export, naming the item; it quotes customer text and goes with
            the store.
        result: counts, and the refs of the source that are none here.
        touched_at: when somebody last got on with it; what nobody touches is swept.
    """

    store = models.OneToOneField(
        MemoryStore, models.PROTECT, primary_key=True, related_name="made_by_import"
    )
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+", db_index=False)
    state = models.TextField(choices=ImportState, default=ImportState.RECEIVING)
    manifest = models.JSONField(null=True)
    whole = models.BooleanField(default=False)
    job = models.ForeignKey(Job, models.PROTECT, null=True, related_name="+", db_index=False)
    error_type = models.TextField(null=True)
    error = models.TextField(null=True)
    result = models.JSONField(null=True)
    created_by_kind = models.TextField()
    created_by_uuid = OwnerIdField(null=True)
    acting_principal_uuid = OwnerIdField(null=True)
    created_at = models.DateTimeField()
    touched_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=ImportState.values), name="import_state_known"
            )
        ]
        indexes = [
            models.Index(
                fields=["touched_at"],
                condition=models.Q(state__in=["receiving", "building", "failed"]),
                name="import_to_sweep",
            )
        ]

    def __str__(self) -> str:
        return self.store_id

    @property
    def created_by_id(self) -> str | None:
        """The identifier of the credential that began it; None for the platform."""
        return owner_id(self.created_by_kind, self.created_by_uuid)

    @property
    def declared(self) -> dict[str, int]:
        """How many items of each kind the manifest declares; nothing before a page came."""
        counts = (self.manifest or {}).items()
        return {
            name.removesuffix("_count"): count for name, count in counts if name.endswith("_count")
        }


class ImportPage(models.Model):
    """A page of an export as it came, until the import ends. Each item of it was checked alone.

    Attributes:
        items: the items as JSON.
        kind_counts: how many items it has of each kind, in the order of kinds.
        is_last: whether it says that no page follows.
    """

    id = models.BigAutoField(primary_key=True)
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="+", db_index=False)
    ordinal = models.IntegerField()
    items = models.BinaryField()
    kind_counts = ArrayField(models.IntegerField())
    is_last = models.BooleanField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["store", "ordinal"], name="import_page_once_an_ordinal")
        ]


class ImportRevision(models.Model):
    """A revision of an export and the version that it becomes, until the import ends."""

    id = models.BigAutoField(primary_key=True)
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="+", db_index=False)
    position = models.IntegerField()
    source_uuid = models.UUIDField()
    version = models.ForeignKey(MemoryVersion, models.PROTECT, related_name="+", db_index=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["store", "position"], name="import_revision_in_order"),
            models.UniqueConstraint(fields=["store", "source_uuid"], name="import_revision_once"),
        ]


class ImportDocument(models.Model):
    """A document version of an export that waits for the revision that introduces it.

    Attributes:
        id: of the document version that it becomes.
        source_uuid: what the export calls it.
        text: None when the export has it erased.
    """

    id = IdField("document", primary_key=True, editable=False)
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="+")
    source_uuid = models.UUIDField()
    path = BytewiseTextField()
    content_sha256 = DigestField()
    media_type = models.TextField()
    bytes = models.IntegerField()
    provenance_sha256 = DigestField(null=True)
    provenance = models.JSONField(null=True)
    text = models.TextField(null=True)
    expires_at = models.DateTimeField(null=True)
