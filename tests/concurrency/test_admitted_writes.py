"""Authority that is taken back while a write is made: the write comes too late (contract §0).

Each request is stopped after it was admitted and before it reads the tree it writes on.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from memory.models import MemoryStore, MemoryVersion
from proposals.models import Proposal
from tenancy.actions.keys import revoke_key
from tenancy.actions.permissions import revoke
from tenancy.actions.principals import PrincipalChanges, change_principal
from tenancy.models import ApiKey, PermissionAssignment, Principal, Workspace
from tests.client import Answer
from tests.factories import platform
from tests.interleaving import answer_when_row_is_held, answer_when_stopped
from tests.stores import StoreClient, as_person, put_operation, shared_store

pytestmark = pytest.mark.django_db(transaction=True)


def _revoke_key(workspace: Workspace, writer: Principal) -> None:
    key = ApiKey.objects.get(principal=writer)
    revoke_key(caller=platform(workspace), key_id=key.id)


def _revoke_grant(workspace: Workspace, writer: Principal) -> None:
    grant = PermissionAssignment.objects.get(subject_uuid=writer.id)
    revoke(caller=platform(workspace), assignment_id=grant.id)


def _disable(workspace: Workspace, writer: Principal) -> None:
    changes = PrincipalChanges(state=Principal.State.DISABLED)
    change_principal(caller=platform(workspace), principal_id=writer.id, changes=changes)


EVENTS: dict[str, tuple[Callable[[Workspace, Principal], None], int, str]] = {
    "key": (_revoke_key, 401, "auth.invalid_key"),
    "grant": (_revoke_grant, 404, "memory.not_found"),
    "principal": (_disable, 403, "auth.disabled_tenancy"),
}


def _put(store: StoreClient) -> Answer:
    return store.put("/b.md", "x")


def _change(store: StoreClient) -> Answer:
    return store.change(put_operation("/b.md", "x"))


def _propose(store: StoreClient) -> Answer:
    body = {"title": "A change", "operations": [put_operation("/b.md", "x")]}
    return store.api.post(store.url("proposals"), body)


def _repropose(store: StoreClient) -> Answer:
    stale = Proposal.objects.get(store=store.id)
    return store.api.post(store.url(f"proposals/{stale.id}/repropose"))


WRITES = {"put": _put, "change set": _change, "proposal": _propose, "re-proposal": _repropose}


@pytest.fixture
def writer(workspace: Workspace) -> StoreClient:
    """Somebody who may write to a store with a document and a stale Proposal."""
    owner = shared_store(workspace, "read", "write")
    _propose(owner).ok(201)
    owner.put("/a.md", "one").ok()
    return as_person(workspace, owner.id, "read", "write")


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("write", WRITES)
def test_a_write_loses_to_what_was_taken_back_before_it(
    workspace: Workspace, writer: StoreClient, write: str, event: str
) -> None:
    take_back, status, error = EVENTS[event]
    versions, proposals = MemoryVersion.objects.count(), Proposal.objects.count()

    answer = answer_when_stopped(
        partial(WRITES[write], writer),
        reading="memory_versiontree",
        meanwhile=partial(take_back, workspace, _newest_person()),
    )

    assert (answer.status, answer.error) == (status, error)
    assert (MemoryVersion.objects.count(), Proposal.objects.count()) == (versions, proposals)


@pytest.mark.parametrize("event", EVENTS)
def test_settings_do_too(workspace: Workspace, event: str) -> None:
    store = shared_store(workspace, "read", "admin", writes="review")
    take_back, status, error = EVENTS[event]

    answer = answer_when_row_is_held(
        lambda: store.patch(canonical_writes="direct", version=1),
        row=MemoryStore.objects.get(id=store.id),
        meanwhile=partial(take_back, workspace, _newest_person()),
    )

    assert (answer.status, answer.error) == (status, error)
    assert MemoryStore.objects.get(id=store.id).canonical_writes == "review"


@pytest.mark.parametrize("write", WRITES)
def test_what_others_lose_refuses_nothing(
    workspace: Workspace, writer: StoreClient, write: str
) -> None:
    other = as_person(workspace, writer.id, "read", "write")

    answer = answer_when_stopped(
        partial(WRITES[write], writer),
        reading="memory_versiontree",
        meanwhile=partial(_revoke_key, workspace, _newest_person()),
    )

    assert answer.status in {200, 201}
    assert other.get().status == 401


def _newest_person() -> Any:
    return Principal.objects.latest("created_at")
