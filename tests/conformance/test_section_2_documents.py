"""Contract R1 and R2: one document, read at an exact version and written to canonical."""

import pytest

from tests.stores import hash_of, personal_store, tag

pytestmark = pytest.mark.django_db


@pytest.fixture
def store(workspace):
    return personal_store(workspace)


def test_R1_a_read_tells_its_exact_version_and_all_of_the_document(store):
    written = store.put("/notes/today.md", "# Today\n").ok()

    read = store.read("/notes/today.md")

    assert read.ok() == {
        "store": store.id,
        "path": "/notes/today.md",
        "version": written["version"],
        "content": "# Today\n",
        "content_sha256": hash_of("# Today\n"),
        "media_type": "text/markdown",
        "bytes": 8,
        "provenance": None,
        "expires_at": None,
    }
    assert read.headers["ETag"] == tag("# Today\n")
    assert written["version"] == store.canonical
