from django.db import models

from database.append_only import AppendOnly
from database.fields import OwnerIdField
from memory.actors import RecordedActor
from memory.models import ActorKind, MemoryStore
from proposals.models.proposals import Proposal, ProposalResponse


class Refusal(models.TextChoices):
    """Why a response was refused: a rule of P3, or a precondition of P2 and P5."""

    REVIEW_GRANT = "review_grant"
    OWN_CREDENTIAL = "own_credential"
    PERSON = "person"
    NOT_THE_AUTHOR = "not_the_author"
    STORE_ACTIVE = "store_active"
    OPEN = "open"
    SEEN_AS_IS = "seen_as_is"
    BODIES_AVAILABLE = "bodies_available"
    SETTINGS_UNCHANGED = "settings_unchanged"


class ProposalAttempt(models.Model):
    """A response that was refused, kept for the timeline (contract P2).

    It says why in a closed word, never in a sentence, which might name paths.
    """

    id = models.BigAutoField(primary_key=True)
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="+")
    proposal = models.ForeignKey(Proposal, models.PROTECT, related_name="attempts")
    response = models.TextField(choices=ProposalResponse)
    refusal = models.TextField(choices=Refusal)
    error_type = models.TextField()
    actor_kind = models.TextField(choices=ActorKind)
    actor_uuid = OwnerIdField()
    actor_agent_uuid = OwnerIdField(null=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(response__in=ProposalResponse.values),
                name="attempt_response_known",
            ),
        ]
        triggers = [AppendOnly()]

    @property
    def actor(self) -> RecordedActor:
        """Who tried."""
        return RecordedActor(self.actor_kind, self.actor_uuid, self.actor_agent_uuid)
