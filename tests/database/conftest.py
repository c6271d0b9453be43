"""What the tests of the database room share."""

import pytest

from memory.models import MemoryStore, OwnerKind
from tenancy.models import Workspace
from wire.times import now


@pytest.fixture
def some_store(workspace: Workspace) -> MemoryStore:
    """The row of a store, without any version."""
    return MemoryStore.objects.create(
        workspace=workspace,
        name="a store",
        owner_kind=OwnerKind.PRINCIPAL,
        owner_uuid=workspace.id,
        created_at=now(),
        updated_at=now(),
    )
