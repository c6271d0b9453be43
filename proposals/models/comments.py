import pgtrigger
from django.db import models

from database.append_only import AppendOnly
from database.fields import BytewiseTextField, OwnerIdField, id_key
from memory.actors import RecordedActor
from memory.models import ActorKind, MemoryStore, MemoryVersion
from proposals.models.guards import PinnedAndSigned
from proposals.models.proposals import Proposal


class CommentSide(models.TextChoices):
    """The side of a Proposal's difference that a comment is pinned to."""

    BASE = "base"
    HEAD = "head"


PEOPLE = [ActorKind.PRINCIPAL, ActorKind.API_KEY]
"""Who comments: not the agents of Sessions, which write their own working refs alone (C6)."""

PINNED = (
    *("id", "store_id", "proposal_id", "thread_id", "version_id", "path", "side", "line"),
    *("author_kind", "author_uuid", "author_principal_uuid", "created_at"),
)


class Comment(models.Model):
    """Words about a Proposal, one of its documents, or a line of one (contract P6).

    Attributes:
        thread: the comment that this one replies to; None for one that begins a thread. A reply
            is about what its thread is about and has no pin of its own.
        version, path, side, line: the pin. The version is the one that the side names, so that
            the line means the same for ever. No line: the document; no path: the Proposal.
        text: empty once its author deleted it, or a redaction erased it.
        author_kind, author_uuid: the recorded actor; agents of Sessions do not comment.
        author_principal_uuid: the principal that the author is, or that its key was bound to.
        edited_at: when its author last changed the text.
        resolved_at, resolved_by_kind, resolved_by_uuid: that the thread it begins is settled.
        text_erased_at: since when a redaction has taken the text (contract X1).
    """

    id = id_key("comment")
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="+")
    proposal = models.ForeignKey(Proposal, models.PROTECT, related_name="comments", db_index=False)
    thread = models.ForeignKey("self", models.PROTECT, null=True, related_name="replies")
    version = models.ForeignKey(MemoryVersion, models.PROTECT, null=True, related_name="+")
    path = BytewiseTextField(null=True)
    side = models.TextField(choices=CommentSide, null=True)
    line = models.IntegerField(null=True)
    text = models.TextField()
    author_kind = models.TextField(choices=ActorKind)
    author_uuid = OwnerIdField()
    author_principal_uuid = OwnerIdField(null=True)
    created_at = models.DateTimeField()
    edited_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)
    resolved_at = models.DateTimeField(null=True)
    resolved_by_kind = models.TextField(choices=ActorKind, null=True)
    resolved_by_uuid = OwnerIdField(null=True)
    text_erased_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(path=None, side=None, version=None, line=None)
                | models.Q(
                    models.Q(line=None) | models.Q(line__gt=0),
                    path__isnull=False,
                    side__in=CommentSide.values,
                    version__isnull=False,
                    thread=None,
                ),
                name="comment_pinned_whole_or_not",
            ),
            models.CheckConstraint(
                condition=models.Q(resolved_at=None, resolved_by_kind=None, resolved_by_uuid=None)
                | models.Q(
                    resolved_at__isnull=False,
                    resolved_by_kind__in=PEOPLE,
                    resolved_by_uuid__isnull=False,
                    thread=None,
                ),
                name="comment_resolved_by_somebody",
            ),
            models.CheckConstraint(
                condition=models.Q(author_kind__in=PEOPLE), name="comment_author_known"
            ),
            models.CheckConstraint(
                condition=models.Q(
                    models.Q(deleted_at=None, text_erased_at=None) & ~models.Q(text="")
                )
                | models.Q(
                    models.Q(deleted_at__isnull=False) | models.Q(text_erased_at__isnull=False),
                    text="",
                ),
                name="comment_textless_once_gone",
            ),
        ]
        indexes = [models.Index(fields=["proposal", "id"], name="comment_by_proposal")]
        triggers = [PinnedAndSigned(PINNED), AppendOnly(operation=pgtrigger.Delete)]

    def __str__(self) -> str:
        return self.id

    @property
    def author(self) -> RecordedActor:
        """The recorded actor."""
        return RecordedActor(self.author_kind, self.author_uuid)

    @property
    def resolver(self) -> RecordedActor | None:
        """Who settled the thread that it begins; None while it is open."""
        if self.resolved_by_kind is None:
            return None
        return RecordedActor(self.resolved_by_kind, self.resolved_by_uuid)

    @property
    def is_gone(self) -> bool:
        """Whether only the mark of its text is left."""
        return self.deleted_at is not None or self.text_erased_at is not None
