from django.db import models

from database.fields import DigestField, OwnerIdField, id_key
from memory.models import ActorKind, MemoryStore, MemoryVersion


class ProposalStatus(models.TextChoices):
    """What is stored; reviewers send the verbs `approve` and `reject` (contract P2)."""

    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"


class ProposalResponse(models.TextChoices):
    APPROVE = "approve"
    REJECT = "reject"


class Proposal(models.Model):
    """A frozen pair of versions that asks to become canonical (contract P1).

    Base, head and diff hash never change after creation. `replaces` is the Proposal that this
    one re-proposes on a newer canonical.
    """

    id = id_key("proposal")
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="proposals")
    title = models.TextField()
    description = models.TextField(default="", blank=True)
    base = models.ForeignKey(MemoryVersion, models.PROTECT, related_name="+")
    head = models.ForeignKey(MemoryVersion, models.PROTECT, related_name="proposals")
    diff_hash = DigestField()
    status = models.TextField(choices=ProposalStatus, default=ProposalStatus.OPEN)
    author_kind = models.TextField(choices=ActorKind)
    author_uuid = OwnerIdField()
    author_agent_uuid = OwnerIdField(null=True)
    author_principal_uuid = OwnerIdField(null=True)
    replaces = models.OneToOneField("self", models.PROTECT, null=True, related_name="replaced_by")
    resolved_by_kind = models.TextField(choices=ActorKind, null=True)
    resolved_by_uuid = OwnerIdField(null=True)
    resolved_at = models.DateTimeField(null=True)
    resolution_note = models.TextField(null=True)
    resolution_reason = models.TextField(null=True)
    changed_path_count = models.IntegerField()
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(base=models.F("head")), name="proposal_is_not_empty"
            ),
            models.CheckConstraint(
                condition=models.Q(changed_path_count__gt=0), name="proposal_changes_a_path"
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=["open", "approved", "rejected", "superseded"]),
                name="proposal_status_known",
            ),
            models.CheckConstraint(
                condition=models.Q(status="open", resolved_at=None)
                | (~models.Q(status="open") & models.Q(resolved_at__isnull=False)),
                name="proposal_resolved_once",
            ),
        ]
        indexes = [
            models.Index(fields=["store", "status", "-id"], name="proposal_by_store"),
        ]

    def __str__(self) -> str:
        return self.id


class ProposalAttempt(models.Model):
    """A response that was refused, kept for the timeline (contract P2)."""

    id = models.BigAutoField(primary_key=True)
    proposal = models.ForeignKey(Proposal, models.PROTECT, related_name="attempts")
    response = models.TextField(choices=ProposalResponse)
    actor_kind = models.TextField()
    actor_uuid = OwnerIdField()
    error_type = models.TextField()
    reason = models.TextField()
    at = models.DateTimeField(auto_now_add=True)
