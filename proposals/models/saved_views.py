from django.db import models

from database.fields import OwnerIdField, owner_id
from memory.models import ActorKind, MemoryStore
from proposals.models.proposals import ProposalStatus
from tenancy.models import Principal

AUTHORS = (ActorKind.PRINCIPAL, ActorKind.API_KEY, "session")
"""Kinds of authors that a list of Proposals can be narrowed to."""


class SavedView(models.Model):
    """Filters of the review queue under a name that a person gave them.

    It goes with the store that it is narrowed to.

    Attributes:
        text, path: what the person looks for; None for anything.
        is_default: whether their queue begins with it. One of each person's at most.
    """

    id = models.BigAutoField(primary_key=True)
    principal = models.ForeignKey(Principal, models.PROTECT, related_name="+", db_index=False)
    name = models.TextField()
    store = models.ForeignKey(MemoryStore, models.PROTECT, null=True, related_name="+")
    author_kind = models.TextField(null=True)
    author_uuid = OwnerIdField(null=True)
    status = models.TextField(choices=ProposalStatus, null=True)
    text = models.TextField(null=True)
    path = models.TextField(null=True)
    is_default = models.BooleanField(default=False)
    saved_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["principal", "name"], name="saved_view_once_a_name"),
            models.UniqueConstraint(
                fields=["principal"],
                condition=models.Q(is_default=True),
                name="saved_view_one_default",
            ),
            models.CheckConstraint(
                condition=models.Q(author_kind=None, author_uuid=None)
                | models.Q(author_kind__in=AUTHORS, author_uuid__isnull=False),
                name="saved_view_author_whole_or_not",
            ),
        ]

    @property
    def author(self) -> str | None:
        """The author's identifier."""
        return owner_id(self.author_kind, self.author_uuid)
