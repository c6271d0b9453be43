from django.db import models

from database.fields import OwnerIdField
from memory.models import MemoryStore
from proposals.models import Comment, Proposal
from tenancy.models import Principal


class NoticeKind(models.TextChoices):
    """What a notice tells of."""

    ASSIGNED = "assigned"
    COMMENTED = "commented"
    APPROVAL_KEPT = "approval_kept"
    DECIDED = "decided"


class Reason(models.TextChoices):
    """Why it is told to this person: the first of these that holds."""

    NAMED = "named"
    REVIEWER = "reviewer"
    AUTHOR = "author"
    THREAD = "thread"
    APPROVER = "approver"
    COMMENTER = "commenter"


class Notice(models.Model):
    """That a person was told of something that happened to a Proposal.

    It names things by their identifiers alone: what they are called and what was said is read
    where they are, when the notice is shown, so that an erasure need not come here (X1, X5).

    Attributes:
        entry: the outbox's number of what happened; nobody is told of one twice.
        actor_kind, actor_uuid: who did it, as recorded; the platform has no identifier.
        read_at: since when the person has read it, or it has nothing to say any more.
    """

    id = models.BigAutoField(primary_key=True)
    principal = models.ForeignKey(Principal, models.PROTECT, related_name="+", db_index=False)
    entry = models.BigIntegerField()
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="+")
    proposal = models.ForeignKey(Proposal, models.PROTECT, related_name="+")
    comment = models.ForeignKey(Comment, models.PROTECT, null=True, related_name="+")
    kind = models.TextField(choices=NoticeKind)
    reason = models.TextField(choices=Reason)
    actor_kind = models.TextField()
    actor_uuid = OwnerIdField(null=True)
    at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["entry", "principal"], name="notice_once_a_person"),
            models.CheckConstraint(
                condition=models.Q(kind__in=NoticeKind.values, reason__in=Reason.values),
                name="notice_in_closed_words",
            ),
        ]
        indexes = [
            models.Index(fields=["principal", "-id"], name="notice_by_person"),
            models.Index(
                fields=["principal"],
                condition=models.Q(read_at=None),
                name="notice_unread_by_person",
            ),
        ]
