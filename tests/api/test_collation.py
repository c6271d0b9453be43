"""Everything is compared bytewise, whatever collation the database was made with (contract M2).

The embedded PostgreSQL only knows C, so this runs on Debian's, in American English: there `a`
comes before `B`, accents count last and punctuation hardly at all.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import environ
import pytest
from django.core.management import call_command
from django.db import connection, connections

from memory.models import DocumentVersion, IdempotencyReceipt
from tests.cluster import debian_cluster
from tests.factories import make_workspace
from tests.stores import StoreClient, personal_store, put_operation

STEMS = (
    "a",
    "A",
    "b",
    "B",
    "é",
    "e",
    "E",
    "è",
    "z",
    "Z",
    "ä",
    "ß",
    "ss",
    "日",
    "😀",
    "-",
    "_",
    "~",
)
PATHS = sorted(
    f"/{first}{middle}{last}.md" for first in STEMS for middle in ("", "-", " ") for last in STEMS
)
SHUFFLED = random.Random(7).sample(PATHS, len(PATHS))


@contextmanager
def _connected_to(url: str) -> Iterator[None]:
    """Let this thread's default connection be one to another database, without a pool."""
    before: Any = connections["default"]
    place = environ.Env.db_url_config(url)
    options = before.settings_dict["OPTIONS"] | place["OPTIONS"]
    options.pop("pool", None)
    settings = before.settings_dict | {
        "NAME": place["NAME"],
        "USER": place["USER"],
        "OPTIONS": options,
    }
    elsewhere = type(before)(settings, "default")
    connections["default"] = elsewhere
    try:
        yield
    finally:
        elsewhere.close()
        connections["default"] = before


@pytest.fixture(scope="module")
def store(django_db_blocker: Any) -> Iterator[StoreClient]:
    """A store with documents on several pages, in a database that sorts like a dictionary."""
    with debian_cluster("en_US.UTF-8") as debian:
        if debian.url is None:
            pytest.skip(debian.reason)
        with django_db_blocker.unblock(), _connected_to(debian.url):
            call_command("migrate", verbosity=0)
            store = personal_store(make_workspace())
            for start in range(0, len(SHUFFLED), 200):
                batch = SHUFFLED[start : start + 200]
                store.change(*(put_operation(path, path) for path in batch)).ok()
            yield store


@pytest.fixture(scope="module")
def filled(store: StoreClient) -> str:
    """The version that holds exactly `PATHS`, whatever the tests add."""
    versions = store.pages("versions", limit=200)
    return next(row["id"] for row in versions if row["document_count"] == len(PATHS))


def test_the_database_itself_sorts_otherwise(store):
    with connection.cursor() as cursor:
        cursor.execute("SELECT 'a' < 'B', 'a-z' > 'ab', 'é' < 'f'")
        assert cursor.fetchone() == (True, True, True)
        cursor.execute("""SELECT 'a' < 'B' COLLATE "C", 'é' < 'f' COLLATE "C" """)
        assert cursor.fetchone() == (False, False)


@pytest.mark.parametrize("limit", [7, 200])
def test_lists_and_their_pages_are_in_the_order_of_bytes(store, filled, limit):
    listed = store.pages("documents", version=filled, limit=limit)

    assert [row["path"] for row in listed] == PATHS


def test_every_path_is_found_on_its_page(store):
    for path in PATHS:
        assert store.read(path).ok()["content"] == path


def test_a_path_that_sorts_alike_is_not_found(store):
    for path in ("/AA.MD", "/a-A.MD", "/Éé.md", "/a.m-d"):
        assert store.read(path).status == 404


def test_prefixes_are_bytes(store):
    store.change(
        put_operation("/dir/é/1", "x"),
        put_operation("/dir/e/1", "x"),
        put_operation("/dir-/1", "x"),
    ).ok()

    def under(prefix):
        return [row["path"] for row in store.pages("documents", prefix=prefix, limit=1)]

    assert under("/dir") == ["/dir/e/1", "/dir/é/1"]
    assert under("/dir/é/") == ["/dir/é/1"]
    assert under("/DIR") == []


def test_changed_paths_and_differences_are_in_the_order_of_bytes(store):
    base = store.canonical
    paths = sorted(["/new/Z", "/new/a", "/new/é", "/new/b-b", "/new/bb", "/new/B"])
    outcome = store.change(*(put_operation(path, "x") for path in reversed(paths)), key="order")
    again = store.change(
        *(put_operation(path, "x") for path in reversed(paths)), base=base, key="order"
    )

    diff = store.pages("diff", base=base, head=outcome.ok()["version"], limit=2)

    assert outcome.body["changed_paths"] == again.ok()["changed_paths"] == paths
    assert again.body["replayed"] is True
    assert [row["path"] for row in diff] == paths


def test_histories_tell_cases_and_accents_apart(store):
    for path in ("/h/e", "/h/é", "/h/E"):
        store.put(path, path).ok()

    assert len(store.pages("history", path="/h/é")) == 1
    assert DocumentVersion.objects.filter(path="/h/e").count() == 1


def test_keys_tell_cases_apart(store):
    store.put("/k/1", "x", key="same").ok()
    store.put("/k/2", "x", key="SAME").ok()

    assert IdempotencyReceipt.objects.filter(key__in=["same", "SAME"]).count() == 2
