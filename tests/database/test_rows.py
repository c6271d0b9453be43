"""Rows that are stored without `save()` are the rows that `save()` would have stored."""

import pytest
from django.db import IntegrityError, transaction
from django.forms.models import model_to_dict

from database import rows
from database.rows import copy_rows, in_one_trip, insert_rows
from memory.models import RefMove, TreePage
from tenancy.models import AuditEntry, Workspace
from wire.ids import new_id
from wire.times import now


def entries(workspace: Workspace, count: int) -> list[AuditEntry]:
    return [
        AuditEntry(
            workspace=workspace,
            at=now(),
            event=f"thing.happened_{number}",
            actor_kind="principal",
            actor_uuid=new_id("principal"),
            target_kind="store",
            target_uuid=new_id("store"),
            detail={"number": number, "text": "“quoted” {braces}"},
        )
        for number in range(count)
    ]


@pytest.mark.parametrize("count", [1, 2, 7])
def test_they_are_read_back_as_they_were_made(workspace, monkeypatch, count):
    monkeypatch.setattr(rows, "ROWS_A_STATEMENT", 3)
    made = entries(workspace, count)

    insert_rows(made)

    found = AuditEntry.objects.in_bulk([entry.pk for entry in made])
    assert len(found) == count
    for entry in made:
        stored = found[entry.pk]
        stored.refresh_from_db()
        assert (stored.event, stored.at, stored.detail) == (entry.event, entry.at, entry.detail)
        assert stored.actor_id == entry.actor_id


def test_arrays_are_read_back_as_they_were_made(some_store):
    page = TreePage(
        store=some_store,
        page_hash=bytes(range(32)),
        paths=["/a", '/b "quoted", {braced}', "/é𝄞"],
        document_versions=[],
        content_hashes=[b'\0\\"', b"{}", b""],
        media_types=["text/plain"],
        sizes=[0, 1, 102_400],
    )

    insert_rows([page])

    stored = TreePage.objects.get(pk=page.pk)
    assert [bytes(each) for each in stored.content_hashes] == page.content_hashes
    fields = ["page_hash", "paths", "document_versions", "media_types", "sizes"]
    assert model_to_dict(stored, fields) == model_to_dict(page, fields)


def test_copying_stores_the_same(workspace):
    made = entries(workspace, 3)

    copy_rows(made)

    happened = AuditEntry.objects.filter(event__startswith="thing.")
    stored = happened.order_by("id").values_list("event", "detail")
    assert list(stored) == [(entry.event, entry.detail) for entry in made]


@pytest.mark.django_db
def test_no_rows_are_no_statement(django_assert_num_queries):
    with django_assert_num_queries(0):
        insert_rows([])
        copy_rows([])


def test_a_key_that_is_set_is_kept(some_store):
    move = RefMove(id=123_456, store=some_store, kind="canonical", actor_kind="platform", at=now())

    insert_rows([move])

    assert RefMove.objects.get().pk == 123_456


@pytest.mark.django_db(transaction=True)
def test_they_insist_on_a_transaction(workspace):
    with pytest.raises(transaction.TransactionManagementError):
        insert_rows(entries(workspace, 1))


def test_an_error_in_one_trip_comes_up_as_djangos_own(workspace, some_store):
    move = RefMove(id=1, store=some_store, kind="canonical", actor_kind="platform", at=now())

    @transaction.atomic
    def insert_twice() -> None:
        with in_one_trip():
            insert_rows([move])
            insert_rows([move])

    with pytest.raises(IntegrityError):
        insert_twice()
    assert not RefMove.objects.exists()


def test_an_answer_in_one_trip_waits_for_what_was_sent(workspace):
    with in_one_trip():
        insert_rows(entries(workspace, 2))
        assert AuditEntry.objects.filter(event__startswith="thing.").count() == 2
