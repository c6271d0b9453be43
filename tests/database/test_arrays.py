"""Array literals are read back by PostgreSQL as what they were made of."""

from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from database.arrays import array_literal

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
quick = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def read_back(literal: str, kind: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT %s::{kind}[]", [literal])
        return list(cursor.fetchone()[0])


@pytest.mark.django_db
@quick
@given(values=st.lists(texts))
def test_texts_are_read_back(values):
    assert read_back(array_literal(values), "text") == values


@pytest.mark.django_db
@quick
@given(values=st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_integers_are_read_back(values):
    assert read_back(array_literal(values), "bigint") == values


@pytest.mark.django_db
@quick
@given(values=st.lists(st.binary()))
def test_bytes_are_read_back(values):
    assert [bytes(each) for each in read_back(array_literal(values), "bytea")] == values


@pytest.mark.django_db
@quick
@given(values=st.lists(st.uuids()))
def test_uuids_are_read_back(values: list[UUID]):
    assert read_back(array_literal(values), "uuid") == values
