import pgtrigger
from django.db import models

from database.append_only import AppendOnly
from database.fields import OwnerIdField
from memory.actors import RecordedActor
from memory.models import ActorKind, MemoryStore
from proposals.models.guards import WithdrawnOnce
from proposals.models.proposals import Proposal

FROZEN = (
    *("id", "store_id", "proposal_id", "actor_kind", "actor_uuid", "approver_uuid"),
    *("unshown_count", "at"),
)


class ProposalApproval(models.Model):
    """An approval that left its Proposal open, because more are needed.

    The one that completes them is the Proposal's own resolution, and no row here.

    Attributes:
        approver_uuid: who approved: the principal, also through a key that is bound to it, or a
            key of its own. Each has one at most that is not withdrawn.
        note: the reviewer's words; a redaction blanks them with those of the Proposal (X1).
        unshown_count: the changed paths that the reviewer's page did not show in full, as they
            ticked; None when they were not asked.
    """

    id = models.BigAutoField(primary_key=True)
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="+")
    proposal = models.ForeignKey(Proposal, models.PROTECT, related_name="approvals", db_index=False)
    actor_kind = models.TextField(choices=ActorKind)
    actor_uuid = OwnerIdField()
    approver_uuid = OwnerIdField()
    note = models.TextField(null=True)
    unshown_count = models.IntegerField(null=True)
    at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(actor_kind__in=["principal", "api_key"]),
                name="approval_by_somebody_answerable",
            ),
            models.UniqueConstraint(
                fields=["proposal", "approver_uuid"],
                condition=models.Q(withdrawn_at=None),
                name="approval_once_an_approver",
            ),
        ]
        indexes = [models.Index(fields=["proposal", "id"], name="approval_by_proposal")]
        triggers = [WithdrawnOnce(frozen=FROZEN), AppendOnly(operation=pgtrigger.Delete)]

    @property
    def actor(self) -> RecordedActor:
        """Who approved, as recorded."""
        return RecordedActor(self.actor_kind, self.actor_uuid)
