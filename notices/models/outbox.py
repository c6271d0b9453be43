from django.db import models

from database.fields import OwnerIdField
from memory.models import MemoryStore
from proposals.hearers import Happening
from proposals.models import Comment, Proposal


class OutboxEntry(models.Model):
    """Something that happened to a Proposal and of which nobody has been told yet.

    It is written in the transaction in which it happens and deleted in the one that writes the
    notices, so that none is lost and none is told twice.

    Attributes:
        caller_kind, caller_uuid: the credential that made it happen.
        principal_uuid: the principal that it is or is bound to, who knows of it already.
    """

    id = models.BigAutoField(primary_key=True)
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="+")
    proposal = models.ForeignKey(Proposal, models.PROTECT, related_name="+")
    happening = models.TextField(choices=[(each.value, each.value) for each in Happening])
    comment = models.ForeignKey(Comment, models.PROTECT, null=True, related_name="+")
    caller_kind = models.TextField()
    caller_uuid = OwnerIdField(null=True)
    principal_uuid = OwnerIdField(null=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(happening__in=[each.value for each in Happening]),
                name="outbox_happening_known",
            ),
        ]
