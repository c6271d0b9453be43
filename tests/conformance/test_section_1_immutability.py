"""Contract M3: what is append-only is guarded by PostgreSQL itself, whatever our code does."""

from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, transaction
from django.db.models import F

from database.append_only import AppendOnly, allow_deleting
from memory.models import (
    BodyErasure,
    DocumentBody,
    MemoryStore,
    MemoryVersion,
    Ref,
    VersionNote,
)
from tests.stores import personal_store
from wire.ids import uuid_from_id

pytestmark = pytest.mark.django_db

APPEND_ONLY = {
    "DocumentVersion",
    "MemoryVersion",
    "RefMove",
    "TreePage",
    "VersionChange",
    "VersionTree",
}

TABLES = sorted(APPEND_ONLY)


@pytest.fixture
def store(workspace):
    """A store with a row in every append-only table, and another one beside it."""
    personal_store(workspace).put("/other.md", "text").ok()
    store = personal_store(workspace)
    store.put("/a.md", "text").ok()
    return store


def rows_of(table: str, store_id: str) -> Any:
    """The rows of a table that belong to a store."""
    model: Any = apps.get_model("memory", table)
    rows = model.objects.filter(store=store_id)
    assert rows.exists()
    return rows


def test_the_guarded_tables_are_these():
    guarded = {
        model.__name__
        for model in apps.get_app_config("memory").get_models()
        if any(isinstance(trigger, AppendOnly) for trigger in getattr(model._meta, "triggers", []))
    }

    assert guarded == APPEND_ONLY


@pytest.mark.parametrize("table", TABLES)
def test_M3_an_update_is_refused(store, table):
    rows = rows_of(table, store.id)

    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        rows.update(store=F("store"))


@pytest.mark.parametrize("table", TABLES)
def test_M3_an_update_is_refused_even_while_the_store_is_being_deleted(store, table):
    rows = rows_of(table, store.id)
    allow_deleting(str(uuid_from_id(store.id)))

    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        rows.update(store=F("store"))


@pytest.mark.parametrize("table", TABLES)
def test_M3_a_delete_is_refused(store, table):
    rows = rows_of(table, store.id)

    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        rows._raw_delete("default")


@pytest.mark.parametrize("table", TABLES)
def test_M3_a_delete_is_refused_while_another_store_is_being_deleted(store, table):
    other = MemoryStore.objects.exclude(id=store.id).first()
    assert other
    allow_deleting(str(uuid_from_id(other.id)))

    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        rows_of(table, store.id)._raw_delete("default")


def test_M3_only_the_deletion_of_the_very_store_may_delete(store):
    others = MemoryVersion.objects.exclude(store=store.id).count()
    with transaction.atomic():
        allow_deleting(str(uuid_from_id(store.id)))
        Ref.objects.filter(store=store.id).delete()
        VersionNote.objects.filter(version__store=store.id).delete()
        DocumentBody.objects.filter(document_version__store=store.id).delete()
        BodyErasure.objects.filter(document_version__store=store.id).delete()
        for table in ("VersionChange", "RefMove", "DocumentVersion", "VersionTree", "TreePage"):
            rows_of(table, store.id)._raw_delete("default")
        for version in MemoryVersion.objects.filter(store=store.id).order_by("-depth"):
            MemoryVersion.objects.filter(id=version.id)._raw_delete("default")

    assert MemoryVersion.objects.count() == others


@pytest.mark.django_db(transaction=True)
def test_M3_the_permission_to_delete_ends_with_its_transaction(workspace):
    store = personal_store(workspace)
    with transaction.atomic():
        allow_deleting(str(uuid_from_id(store.id)))

    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        rows_of("RefMove", store.id)._raw_delete("default")
