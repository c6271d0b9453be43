"""Querysets compiled once answer what their queryset would, whatever the values."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F, QuerySet

from database.compiled import compiled, compiled_update
from tenancy.models import Principal, Workspace
from tests.factories import make_person, make_workspace
from wire.times import now


@compiled
def people(
    order: str, *, workspace_id: str, user_id: str | None, before: datetime
) -> QuerySet[Principal]:
    found = Principal.objects.filter(workspace=workspace_id, created_at__lt=before)
    found = found.filter(user=None) if user_id is None else found.filter(id=user_id)
    return found.select_related("workspace").order_by(order)


@compiled_update
def count_up(*, workspace_id: str) -> tuple[QuerySet[Workspace], dict[str, Any]]:
    return Workspace.objects.filter(id=workspace_id), {"authority_epoch": F("authority_epoch") + 1}


def soon() -> datetime:
    return now() + timedelta(minutes=1)


@pytest.mark.django_db
def test_rows_are_those_of_the_values_given_each_time():
    first, second = make_workspace("first"), make_workspace("second")
    anna, ben = make_person(first, "Example A"), make_person(first, "Example B")
    make_person(second, "Example C")
    for _ in range(2):
        found = people("name", workspace_id=first.id, user_id=None, before=soon())
        assert [person.id for person in found] == [anna.id, ben.id]
    assert people("name", workspace_id=first.id, user_id=None, before=first.created_at) == []


@pytest.mark.django_db
def test_none_and_positional_arguments_choose_another_statement(workspace):
    anna, ben = make_person(workspace, "Example A"), make_person(workspace, "Example B")
    arguments: dict[str, Any] = {"workspace_id": workspace.id, "before": soon()}
    assert [p.id for p in people("-name", user_id=None, **arguments)] == [ben.id, anna.id]
    assert [p.id for p in people("name", user_id=ben.id, **arguments)] == [ben.id]


@pytest.mark.django_db
def test_rows_are_whole_instances_with_what_was_joined(workspace, django_assert_num_queries):
    make_person(workspace, "Example A")
    with django_assert_num_queries(1):
        (found,) = people("name", workspace_id=workspace.id, user_id=None, before=soon())
        assert found.workspace.name == workspace.name
    assert isinstance(found, Principal)
    assert found == Principal.objects.get()


@pytest.mark.django_db
def test_an_update_tells_how_many_rows_it_touched(workspace):
    before = workspace.authority_epoch
    assert count_up(workspace_id=workspace.id) == 1
    workspace.refresh_from_db()
    assert workspace.authority_epoch == before + 1
    gone = Workspace(name="never-stored")
    assert count_up(workspace_id=gone.id) == 0


@pytest.mark.django_db
def test_a_value_that_the_lookup_changes_is_refused(workspace):
    @compiled
    def spelled(*, name: str) -> QuerySet[Workspace]:
        return Workspace.objects.filter(name__icontains=name)

    with pytest.raises(ValueError, match="as they are"):
        spelled(name=workspace.id)


@pytest.mark.django_db(transaction=True)
def test_threads_use_their_own_connection():
    workspace = make_workspace()
    make_person(workspace, "Example A")

    def look(_: int) -> int:
        try:
            return len(people("name", workspace_id=workspace.id, user_id=None, before=soon()))
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(look, range(40))) == [1] * 40
