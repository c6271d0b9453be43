"""Bodies and their words in PostgreSQL: both ways of storing them, and what it knows of them."""

import pytest
from django.db import connection

from memory.actors import IMPORTER
from memory.models import VersionKind
from memory.versions.chains import Chain, NextVersion
from memory.versions.sealing import Note, Put, draft, seal

pytestmark = pytest.mark.django_db

TEXT = (
    "It's a \\ getUserName 東京 \ufdfa " + "word " * 300 + " ".join(f"n{n}" for n in range(9_000))
)


def _vectors():
    with connection.cursor() as cursor:
        cursor.execute("SELECT search_vector::text FROM memory_documentbody")
        return [vector for (vector,) in cursor.fetchall()]


def test_a_written_and_an_imported_text_have_the_same_words(some_store):
    written = draft(None, {"/a.md": Put(TEXT)})
    seal(store_id=some_store.id, draft=written, kind=VersionKind.IMPORT, actor=IMPORTER)
    chain = Chain(some_store.id, VersionKind.IMPORT, IMPORTER)
    chain.seal(NextVersion({"/a.md": Put(TEXT)}, Note()))
    chain.store()

    first, second = _vectors()

    assert first == second
    assert "'getusername':" in first


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("memory_documentbody", "text"),
        ("memory_documentbody", "provenance"),
        ("memory_documentbody", "search_vector"),
        ("memory_versionnote", "message"),
    ],
)
def test_X4_no_statistics_are_kept_of_content(some_store, table, column):
    written = draft(None, {f"/{n}.md": Put("the canary text") for n in range(50)})
    seal(
        store_id=some_store.id,
        draft=written,
        kind=VersionKind.IMPORT,
        actor=IMPORTER,
        note=Note("words"),
    )
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {table}")
        cursor.execute(
            "SELECT count(*) FROM pg_stats WHERE tablename = %s AND attname = %s", [table, column]
        )
        assert cursor.fetchone() == (0,)
