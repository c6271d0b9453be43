"""Paging through an export costs the same at its end as at its beginning (E2)."""

import tracemalloc
from statistics import median

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.access import open_store
from memory.actions.git_imports import import_store
from memory.actions.stores import Owner, StoreSettings
from memory.exporting.pages import MAX_PAGE_ITEMS, export_page
from memory.models import OwnerKind
from memory.versions.chains import NextVersion
from memory.versions.sealing import Note, Put
from tests.factories import caller_for, make_person

pytestmark = pytest.mark.django_db

DOCUMENTS = 600
VERSIONS = 25
MOST_STATEMENTS = 9
MOST_BYTES = 3 * 1024 * 1024
"""Of Python's memory for one page, its 200 items included."""


@pytest.fixture
def access(workspace):
    owner = make_person(workspace)
    first = NextVersion({f"/d/{n:04}.md": Put(f"text {n}") for n in range(DOCUMENTS)}, Note())
    others = [
        NextVersion({f"/d/{n * 17 % DOCUMENTS:04}.md": Put(f"again {n}")}, Note())
        for n in range(1, VERSIONS)
    ]
    settings = StoreSettings("Long", Owner(OwnerKind.PRINCIPAL, owner.id))
    caller = caller_for(owner)
    made = import_store(caller=caller, settings=settings, versions=[first, *others])
    return open_store(caller, made.store_id)


def test_E2_memory_and_statements_of_a_page_are_the_same_wherever_it_stands(access):
    peaks: list[int] = []
    statements: list[int] = []
    token: str | None = None
    tracemalloc.start()
    try:
        while True:
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            with CaptureQueriesContext(connection) as queries:
                page = export_page(access, page=token)
            statements.append(len(queries))
            peaks.append(tracemalloc.get_traced_memory()[1] - before)
            token = page.answer["next_page"]
            del page
            if token is None:
                break
    finally:
        tracemalloc.stop()

    assert len(peaks) >= DOCUMENTS * VERSIONS / MAX_PAGE_ITEMS
    assert max(statements) <= MOST_STATEMENTS
    assert max(peaks) < MOST_BYTES
    tenth = len(peaks) // 10
    assert median(peaks[-tenth:]) < 1.2 * median(peaks[tenth : 3 * tenth])
