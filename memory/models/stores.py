from typing import Final

from django.db import models

from database.fields import OwnerIdField, id_key, owner_id
from tenancy.models import Workspace


class OwnerKind(models.TextChoices):
    """Who may own a store (contract M6)."""

    WORKSPACE = "workspace"
    PRINCIPAL = "principal"
    AGENT_DEFINITION = "agent_definition"
    SESSION = "session"
    COLLABORATION_SPACE = "collaboration_space"


SHARED_OWNERS: Final = frozenset(
    {OwnerKind.WORKSPACE, OwnerKind.AGENT_DEFINITION, OwnerKind.COLLABORATION_SPACE}
)


class CanonicalWrites(models.TextChoices):
    """How canonical of a shared store moves (contract C3)."""

    REVIEW = "review"
    DIRECT = "direct"


class SelfApproval(models.TextChoices):
    """Whether the author of a Proposal may approve it (contract P3)."""

    DENIED = "denied"
    ALLOWED = "allowed"


class Lifecycle(models.TextChoices):
    PENDING = "pending"
    ACTIVE = "active"
    ARCHIVED = "archived"
    DELETING = "deleting"
    DELETED = "deleted"


class MemoryStore(models.Model):
    """One ownership, history and visibility boundary (contract M1).

    `version` rises with each change of the store's own settings; `generation` with each
    structural change or erasure inside it; `erasure_epoch` with erasures only. `review_rules` are
    read and written by `memory.reviewrules`.
    """

    id = id_key("store")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="stores", db_index=False)
    name = models.TextField()
    description = models.TextField(default="", blank=True)
    owner_kind = models.TextField(choices=OwnerKind)
    owner_uuid = OwnerIdField()
    canonical_writes = models.TextField(choices=CanonicalWrites, null=True)
    self_approval = models.TextField(choices=SelfApproval, default=SelfApproval.DENIED)
    minimum_approvals = models.SmallIntegerField(default=1)
    review_rules = models.JSONField(default=list)
    metadata = models.JSONField(default=dict)
    version = models.IntegerField(default=1)
    generation = models.BigIntegerField(default=0)
    erasure_epoch = models.BigIntegerField(default=0)
    lifecycle = models.TextField(choices=Lifecycle, default=Lifecycle.ACTIVE)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(
                    owner_kind__in=["workspace", "agent_definition", "collaboration_space"],
                    # A CHECK lets NULL pass, and NULL IN (…) is NULL.
                    canonical_writes__isnull=False,
                    canonical_writes__in=CanonicalWrites.values,
                )
                | models.Q(owner_kind__in=["principal", "session"], canonical_writes=None),
                name="store_canonical_writes_only_when_shared",
            ),
            models.CheckConstraint(
                condition=models.Q(lifecycle__in=Lifecycle.values), name="store_lifecycle_known"
            ),
            models.CheckConstraint(
                condition=models.Q(self_approval__in=SelfApproval.values),
                name="store_self_approval_known",
            ),
            models.CheckConstraint(
                condition=models.Q(minimum_approvals__range=(1, 10)),
                name="store_minimum_approvals_from_1_to_10",
            ),
        ]
        indexes = [
            models.Index(fields=["workspace", "-id"], name="store_by_workspace"),
            models.Index(fields=["owner_uuid"], name="store_by_owner"),
        ]

    def __str__(self) -> str:
        return self.id

    @property
    def owner_id(self) -> str:
        """The owner's identifier with its prefix."""
        return owner_id(self.owner_kind, self.owner_uuid) or ""

    @property
    def is_shared(self) -> bool:
        """Whether canonical is the truth of many (contract C3)."""
        return self.owner_kind in SHARED_OWNERS
