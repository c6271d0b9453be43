"""The store that a few properties need."""

import pytest

from memory.models import MemoryStore, OwnerKind
from tenancy.models import Workspace
from wire.times import now


@pytest.fixture
def some_store(db: None) -> MemoryStore:
    """The row of a store, without any version."""
    workspace = Workspace.objects.create(name="properties")
    return MemoryStore.objects.create(
        workspace=workspace,
        name="a store",
        owner_kind=OwnerKind.PRINCIPAL,
        owner_uuid=workspace.id,
        created_at=now(),
        updated_at=now(),
    )
