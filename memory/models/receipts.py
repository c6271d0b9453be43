from django.db import models

from database.fields import BytewiseTextField, DigestField, OwnerIdField
from memory.models.stores import MemoryStore
from tenancy.models import Workspace


class IdempotencyReceipt(models.Model):
    """That a write with this key happened, and how to tell its outcome again (contract §0).

    Committed with the write itself. `outcome` holds identifiers, never bodies or paths; it is
    None only inside the transaction that is still writing. The fingerprint is a digest of what
    was sent; it is None once that was redacted, and then nothing is told any more.
    """

    id = models.BigAutoField(primary_key=True)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    caller_kind = models.TextField()
    caller_uuid = OwnerIdField()
    key = BytewiseTextField()
    fingerprint = DigestField(null=True)
    store = models.ForeignKey(MemoryStore, models.PROTECT, null=True, related_name="receipts")
    outcome = models.JSONField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "caller_kind", "caller_uuid", "key"],
                name="receipt_once_a_key",
            )
        ]
