import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models

from database.append_only import AppendOnly
from database.fields import DigestField, OwnerIdField, id_key
from memory.actors import RecordedActor
from memory.models import ActorKind, MemoryStore, MemoryVersion
from proposals.models.actors import known_actor
from proposals.models.guards import FrozenButOpen, OfTwoTrees


class ProposalStatus(models.TextChoices):
    """What is stored; reviewers send the verbs `approve` and `reject` (contract P2)."""

    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"


class ProposalResponse(models.TextChoices):
    """What a reviewer sends."""

    APPROVE = "approve"
    REJECT = "reject"


class SupersededBecause(models.TextChoices):
    """Why a Proposal was superseded."""

    CANONICAL_MOVED = "canonical_moved"
    REPROPOSED = "reproposed"
    REDACTED = "redacted"


FROZEN = (
    *("id", "store_id", "base_id", "head_id", "diff_hash"),
    *("document_versions", "changed_path_count", "added_lines", "removed_lines", "text_safety"),
    *("author_kind", "author_uuid", "author_agent_uuid", "author_operation"),
    *("author_principal_uuid", "earlier_authors", "replaces_id", "picked_from_id"),
    *("created_at",),
)
RESOLUTION = (
    *("status", "response", "resolved_by_kind", "resolved_by_uuid", "resolved_at"),
    *("superseded_because", "unshown_count"),
)


class Proposal(models.Model):
    """A frozen pair of versions that asks to become canonical (contract P1).

    Attributes:
        document_versions: the `mdoc_…` on either side of each changed path: the bodies that a
            reviewer sees, and that must be there for an approval (contract P5).
        added_lines, removed_lines: as counted at creation, of the bodies that were there.
        text_safety: how much of each concern the new texts held, as counted at creation, and
            whether all of them was searched; counts alone, which outlive the texts.
        author_kind and the three after it: the recorded actor (contract P3).
        author_principal_uuid: the principal that the author is, or that the author's key was
            bound to at creation. Not one that a key only named, nor a Session's acting one.
        earlier_authors: keys and principals that authored what this one re-proposes, or sealed the
            versions that it proposes. Its words are theirs, whoever pressed the button.
        replaces: the Proposal that this one re-proposes on a newer canonical (contract P4).
        picked_from: the Proposal whose changes at some paths this one is.
        unshown_count: the changed paths that the page of whoever approved it did not show in full,
            as they ticked; None when they were not asked, as through the API.
        response: what a reviewer sent to resolve it; None when it was superseded otherwise.
        words_erased_at: since when title, description and note are gone, because a redaction
            took a path that it changes (contract X1). Only then a title is empty.
    """

    id = id_key("proposal")
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="proposals", db_index=False)
    title = models.TextField()
    description = models.TextField(default="", blank=True)
    base = models.ForeignKey(MemoryVersion, models.PROTECT, related_name="+")
    head = models.ForeignKey(MemoryVersion, models.PROTECT, related_name="proposals")
    diff_hash = DigestField()
    document_versions = ArrayField(models.UUIDField())
    changed_path_count = models.IntegerField()
    added_lines = models.IntegerField()
    removed_lines = models.IntegerField()
    text_safety = models.JSONField()
    author_kind = models.TextField(choices=ActorKind)
    author_uuid = OwnerIdField(null=True)
    author_agent_uuid = OwnerIdField(null=True)
    author_operation = models.TextField(null=True)
    author_principal_uuid = OwnerIdField(null=True)
    earlier_authors = ArrayField(models.UUIDField(), default=list)
    replaces = models.OneToOneField("self", models.PROTECT, null=True, related_name="replaced_by")
    picked_from = models.ForeignKey("self", models.PROTECT, null=True, related_name="picked")
    status = models.TextField(choices=ProposalStatus, default=ProposalStatus.OPEN)
    response = models.TextField(choices=ProposalResponse, null=True)
    resolved_by_kind = models.TextField(choices=ActorKind, null=True)
    resolved_by_uuid = OwnerIdField(null=True)
    resolved_at = models.DateTimeField(null=True)
    resolution_note = models.TextField(null=True)
    superseded_because = models.TextField(choices=SupersededBecause, null=True)
    unshown_count = models.IntegerField(null=True)
    words_erased_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(base=models.F("head")), name="proposal_of_two_versions"
            ),
            models.CheckConstraint(
                condition=models.Q(changed_path_count__gt=0), name="proposal_changes_a_path"
            ),
            models.CheckConstraint(condition=known_actor("author"), name="proposal_author_known"),
            models.CheckConstraint(
                condition=models.Q(
                    status="open",
                    response=None,
                    resolved_by_kind=None,
                    resolved_by_uuid=None,
                    resolved_at=None,
                    resolution_note=None,
                    superseded_because=None,
                    unshown_count=None,
                )
                | models.Q(
                    status="superseded",
                    response=None,
                    superseded_because="redacted",
                    resolved_by_kind="platform",
                    resolved_by_uuid=None,
                    resolved_at__isnull=False,
                    resolution_note=None,
                )
                | models.Q(
                    models.Q(status="approved", response="approve", superseded_because=None)
                    | models.Q(status="rejected", response="reject", superseded_because=None)
                    | models.Q(
                        status="superseded",
                        response="approve",
                        superseded_because="canonical_moved",
                    )
                    | models.Q(status="superseded", response=None, superseded_because="reproposed"),
                    resolved_by_kind__in=["principal", "api_key"],
                    resolved_by_uuid__isnull=False,
                    resolved_at__isnull=False,
                ),
                name="proposal_resolved_in_a_known_way",
            ),
            models.CheckConstraint(
                condition=models.Q(models.Q(words_erased_at=None) & ~models.Q(title=""))
                | models.Q(
                    words_erased_at__isnull=False, title="", description="", resolution_note=None
                ),
                name="proposal_wordless_once_erased",
            ),
        ]
        indexes = [
            models.Index(fields=["store", "status", "-id"], name="proposal_by_store"),
            models.Index(fields=["author_uuid", "-id"], name="proposal_by_author"),
            models.Index(fields=["author_principal_uuid", "-id"], name="proposal_by_principal"),
        ]
        triggers = [
            OfTwoTrees(),
            FrozenButOpen(
                frozen=FROZEN,
                resolution=RESOLUTION,
                words=("title", "description", "resolution_note"),
            ),
            AppendOnly(operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return self.id

    @property
    def author(self) -> RecordedActor:
        """The recorded actor."""
        return RecordedActor(
            self.author_kind, self.author_uuid, self.author_agent_uuid, self.author_operation
        )

    @property
    def resolver(self) -> RecordedActor | None:
        """Who resolved it; None while it is open. The platform does by a redaction alone."""
        if self.resolved_by_kind is None:
            return None
        operation = "redaction" if self.resolved_by_kind == ActorKind.PLATFORM else None
        return RecordedActor(
            self.resolved_by_kind, self.resolved_by_uuid, actor_operation=operation
        )

    @property
    def is_open(self) -> bool:
        """Whether it waits for a decision."""
        return self.status == ProposalStatus.OPEN
