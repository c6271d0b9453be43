from django.db import models

from database.fields import DigestField, OwnerIdField
from memory.models import MemoryStore


class Viewing(models.Model):
    """That a person ticked a changed document off as viewed, as a Proposal's head has it.

    It is about what the head holds at a path and not about a Proposal: a re-proposal that brings
    the same text finds it ticked, and another text there does not.

    Attributes:
        principal_uuid: the person.
        digest: of the path and what the head holds there; see `queries.viewings.digest_of`.
    """

    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="+")
    principal_uuid = OwnerIdField()
    digest = DigestField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["principal_uuid", "store", "digest"], name="viewing_once"
            ),
        ]
