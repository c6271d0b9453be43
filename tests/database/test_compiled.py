"""Compiled queries answer what their querysets do, in every thread and with any values."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.db.models import F, QuerySet

from database.compiled import compiled, compiled_update
from memory.models import MemoryStore, OwnerKind
from proposals.models import Proposal
from tenancy.models import ApiKey, Workspace
from tests.proposals.scenario import make_scenario
from wire.ids import id_from_uuid, new_id, uuid_from_id
from wire.times import now


@compiled
def stores_of(name: str, *, workspace_id: str, owner_id: str | None) -> QuerySet[MemoryStore]:
    stores = MemoryStore.objects.filter(workspace=workspace_id, owner_uuid=owner_id, name=name)
    return stores.select_related("workspace").annotate(next_version=F("version") + 1)


@compiled
def key_ids(*, digest: bytes, at: datetime) -> QuerySet[ApiKey, Any]:
    return ApiKey.objects.filter(digest=digest, created_at__lt=at).values_list("id", flat=True)


@compiled
def showing(*, one_id: str, other_id: str) -> QuerySet[Proposal]:
    either = [uuid_from_id(one_id), uuid_from_id(other_id)]
    return Proposal.objects.filter(document_versions__overlap=either)


@compiled_update
def rename(*, store_id: str, at: datetime) -> tuple[QuerySet[MemoryStore], dict[str, Any]]:
    return MemoryStore.objects.filter(id=store_id), {"updated_at": at, "version": F("version") + 1}


def make_store(workspace: Workspace, name: str) -> MemoryStore:
    return MemoryStore.objects.create(
        workspace=workspace,
        name=name,
        owner_kind=OwnerKind.PRINCIPAL,
        owner_uuid=workspace.id,
        created_at=now(),
        updated_at=now(),
    )


def test_rows_are_whole_instances_with_annotations_and_related_rows(
    workspace, django_assert_num_queries
):
    store = make_store(workspace, "one")
    make_store(workspace, "two")

    with django_assert_num_queries(1):
        (found,) = stores_of("one", workspace_id=workspace.id, owner_id=workspace.id)
        assert (found.id, found.next_version, found.workspace) == (store.id, 2, workspace)
        assert found.workspace.name == workspace.name


def test_each_call_binds_its_own_values(workspace):
    stores = [make_store(workspace, "same") for _ in range(2)]
    find = {"workspace_id": workspace.id, "owner_id": workspace.id}

    assert {row.id for row in stores_of("same", **find)} == {store.id for store in stores}
    assert stores_of("other", **find) == []
    assert stores_of("same", **find | {"owner_id": new_id("principal")}) == []


def test_a_missing_value_asks_for_null_and_not_for_the_value_before(workspace):
    make_store(workspace, "one")

    assert stores_of("one", workspace_id=workspace.id, owner_id=workspace.id)
    assert stores_of("one", workspace_id=workspace.id, owner_id=None) == []


def test_digests_and_times_are_bound_too(workspace):
    key = ApiKey.objects.create(workspace=workspace, name="k", digest=bytes(32), hint="ck_")
    earlier = datetime(2020, 1, 1, tzinfo=UTC)

    assert key_ids(digest=bytes(32), at=datetime(2999, 1, 1, tzinfo=UTC)) == [key.id]
    assert key_ids(digest=bytes(32), at=earlier) == []
    assert key_ids(digest=bytes([1] * 32), at=datetime(2999, 1, 1, tzinfo=UTC)) == []


def test_the_items_of_an_array_are_bound_one_by_one(db):
    opened = make_scenario().propose({"/a.md": "text"})
    shown = id_from_uuid("document", Proposal.objects.get(id=opened).document_versions[0])
    others = [new_id("document") for _ in range(2)]

    for one, other in ((shown, others[0]), (others[0], shown)):
        assert [found.id for found in showing(one_id=one, other_id=other)] == [opened]
    assert showing(one_id=others[0], other_id=others[1]) == []


def test_an_update_tells_how_many_rows_it_touched(workspace):
    store = make_store(workspace, "one")
    moment = datetime(2030, 1, 1, tzinfo=UTC)

    assert rename(store_id=store.id, at=moment) == 1
    assert rename(store_id=new_id("store"), at=moment) == 0
    store.refresh_from_db()
    assert (store.updated_at, store.version) == (moment, 2)


def test_a_value_that_the_statement_does_not_hold_as_it_is_is_refused(workspace):
    @compiled
    def forgetful(*, store_id: str) -> QuerySet[MemoryStore]:
        return MemoryStore.objects.all()

    with pytest.raises(ValueError, match="store_id"):
        forgetful(store_id=new_id("store"))


@pytest.mark.django_db(transaction=True)
def test_threads_share_the_statement_and_not_the_connection(workspace):
    store = make_store(workspace, "one")

    def find(_: int) -> str:
        try:
            (found,) = stores_of("one", workspace_id=workspace.id, owner_id=workspace.id)
            return str(found.id)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(find, range(40))) == {store.id}
