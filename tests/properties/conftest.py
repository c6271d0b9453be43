"""How long Hypothesis looks, and the store that a few properties need."""

import pytest
from hypothesis import HealthCheck, settings

from memory.models import MemoryStore, OwnerKind
from tenancy.models import Workspace
from wire.times import now

settings.register_profile(
    "fast",
    deadline=None,  # the machine that runs the tests is shared
    max_examples=60,
    print_blob=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("fast")


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
