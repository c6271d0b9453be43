from django.contrib.postgres.fields import ArrayField
from django.db import models

from database.append_only import AppendOnly
from database.fields import BytewiseTextField, DigestField
from memory.models.stores import MemoryStore
from memory.models.versions import MemoryVersion


class TreePage(models.Model):
    """A run of a tree's entries, shared by every version that has exactly these.

    Parallel arrays, sorted by path: a page of 64 entries is about half the size of the same
    entries as JSON, and PostgreSQL searches them without parsing. Where a page ends depends on
    paths alone (contract M8), so one write replaces one page.
    """

    id = models.BigAutoField(primary_key=True)
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="+", db_index=False)
    page_hash = DigestField()
    paths = ArrayField(BytewiseTextField())
    document_versions = ArrayField(models.UUIDField())
    content_hashes = ArrayField(models.BinaryField())
    media_types = ArrayField(models.TextField())
    sizes = ArrayField(models.IntegerField())

    class Meta:
        indexes = [models.Index(fields=["store", "id"], name="tree_page_by_store")]
        triggers = [AppendOnly()]


class VersionTree(models.Model):
    """The pages of a version in order, and the first path of each."""

    version = models.OneToOneField(
        MemoryVersion, models.PROTECT, primary_key=True, related_name="tree"
    )
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="+")
    pages = ArrayField(models.BigIntegerField())
    first_paths = ArrayField(BytewiseTextField())

    class Meta:
        triggers = [AppendOnly()]
