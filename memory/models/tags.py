import pgtrigger
from django.db import models

from database.fields import OwnerIdField
from memory.models.stores import MemoryStore
from memory.models.versions import ActorKind, MemoryVersion


class NeverMoved(pgtrigger.Trigger):
    """Refuses every UPDATE: a tag stands where it was made, or goes.

    Raises `restrict_violation`, which reaches Python as an IntegrityError.
    """

    name = "never_moved"
    when = pgtrigger.Before
    operation = pgtrigger.Update

    def get_func(self, model: object) -> str:
        return """
            RAISE restrict_violation USING MESSAGE = 'a tag never moves';
        """


class Tag(models.Model):
    """A name that somebody gave a version, for people: it never moves, retains nothing (X3).

    No ref: those follow what is written, and their names are made of identifiers (contract M4).
    """

    id = models.BigAutoField(primary_key=True)
    store = models.ForeignKey(MemoryStore, models.PROTECT, related_name="tags", db_index=False)
    version = models.ForeignKey(MemoryVersion, models.PROTECT, related_name="tags")
    name = models.TextField()
    actor_kind = models.TextField(choices=ActorKind)
    actor_uuid = OwnerIdField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["store", "name"], name="tag_once_a_store"),
            models.CheckConstraint(condition=~models.Q(name=""), name="tag_has_a_name"),
            models.CheckConstraint(
                condition=models.Q(actor_kind__in=["principal", "api_key"]),
                name="tag_of_a_person_or_a_key",
            ),
        ]
        triggers = [NeverMoved()]
