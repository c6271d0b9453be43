"""What properties need: no rate limits and, a few of them, a store."""

import pytest
from django.conf import LazySettings

from memory.models import MemoryStore, OwnerKind
from tenancy.models import Workspace
from wire.times import now

pytest.register_assert_rewrite("tests.properties.machine", "tests.properties.product")


@pytest.fixture(autouse=True)
def no_rate_limits(settings: LazySettings) -> None:
    """Properties ask faster than any client may."""
    settings.RATE_LIMITS = []


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
