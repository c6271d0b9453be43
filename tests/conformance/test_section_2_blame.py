"""Contract R3: which version wrote which line, across exact renames, told honestly."""

import pytest

from memory.models import BodyErasure, DocumentVersion
from memory.queries import blame
from tests.erasure import erase_bodies
from tests.stores import as_person, delete_operation, personal_store, put_operation

pytestmark = pytest.mark.django_db


@pytest.fixture
def store(workspace):
    return personal_store(workspace)


def _write(store, path, *texts):
    """Write texts one after the other; return the version of each."""
    versions, over = [], None
    for text in texts:
        versions.append(store.put(path, text, over=over).ok()["version"])
        over = text
    return versions


def _blame(store, path, version=None):
    query = {"path": path} | ({"version": version} if version else {})
    return store.get("blame", query)


def _owners(store, path, version=None):
    return [
        (row["start"], row["end"], row["version"], row["unknown"])
        for row in _blame(store, path, version).ok()["data"]
    ]


def test_R3_each_line_is_its_last_writers(store):
    first, second, third = _write(store, "/a.md", "1\n2\n3\n", "1\ntwo\n3\n", "0\n1\ntwo\n3\nend")

    assert _owners(store, "/a.md") == [
        (1, 1, third, None),
        (2, 2, first, None),
        (3, 3, second, None),
        (4, 4, first, None),
        (5, 5, third, None),
    ]
    assert _owners(store, "/a.md", first) == [(1, 3, first, None)]


def test_R3_blame_says_who_and_when(store):
    (version,) = _write(store, "/a.md", "1\n")

    answer = _blame(store, "/a.md").ok()
    sealed = store.get(f"versions/{version}").ok()

    assert (answer["store"], answer["path"], answer["version"]) == (store.id, "/a.md", version)
    assert answer["data"] == [
        {
            "start": 1,
            "end": 1,
            "version": version,
            "path": "/a.md",
            "actor": sealed["actor"],
            "created_at": sealed["created_at"],
            "unknown": None,
        }
    ]


def test_R3_an_empty_document_has_no_lines(store):
    _write(store, "/a.md", "")

    assert _owners(store, "/a.md") == []


def test_R3_blame_follows_exact_renames(store):
    first, second = _write(store, "/a.md", "1\n2\n", "1\ntwo\n")
    store.change(
        delete_operation("/a.md", over="1\ntwo\n"), put_operation("/b/a.md", "1\ntwo\n")
    ).ok()
    last = store.put("/b/a.md", "1\ntwo\n3\n", over="1\ntwo\n").ok()["version"]

    rows = _blame(store, "/b/a.md").ok()["data"]

    assert [(row["version"], row["path"]) for row in rows] == [
        (first, "/a.md"),
        (second, "/a.md"),
        (last, "/b/a.md"),
    ]


def test_R3_a_document_that_was_deleted_and_made_again_begins_anew(store):
    _write(store, "/a.md", "1\n")
    store.delete("/a.md", over="1\n").ok()
    (again,) = _write(store, "/a.md", "1\n")

    assert _owners(store, "/a.md") == [(1, 1, again, None)]


def test_R3_other_branches_have_no_part_in_it(store):
    """A Proposal's head is no parent of canonical."""
    (first,) = _write(store, "/a.md", "1\n")
    body = {
        "title": "Other",
        "operations": [put_operation("/a.md", "other\n", over="1\n")],
    }
    store.api.post(store.url("proposals"), body).ok(201)
    second = store.put("/a.md", "1\n2\n", over="1\n").ok()["version"]

    assert _owners(store, "/a.md") == [(1, 1, first, None), (2, 2, second, None)]


def _bodies(path):
    return list(
        DocumentVersion.objects.filter(path=path).order_by("id").values_list("id", flat=True)
    )


def test_R3_what_stands_before_an_erased_text_is_unknown(store):
    _, _, third, fourth = _write(store, "/a.md", "1\n", "1\n2\n", "1\n2\n3\n", "1\n2\n3\n4\n")
    erase_bodies(store.id, [_bodies("/a.md")[1]], BodyErasure.Reason.RETIRED)

    assert _owners(store, "/a.md") == [(1, 3, third, "erased"), (4, 4, fourth, None)]


def test_R3_a_history_that_is_too_long_is_told(store, monkeypatch):
    monkeypatch.setattr(blame, "MAX_CHANGES", 2)
    _, _, third, fourth = _write(store, "/a.md", "1\n", "1\n2\n", "1\n2\n3\n", "1\n2\n3\n4\n")

    assert _owners(store, "/a.md") == [
        (1, 2, third, "too_long"),
        (3, 3, third, None),
        (4, 4, fourth, None),
    ]


def test_R3_a_long_history_is_read_some_at_a_time(store, monkeypatch):
    monkeypatch.setattr(blame, "_FETCHED", 2)
    versions = _write(store, "/a.md", *("".join(f"{n}\n" for n in range(m)) for m in range(1, 8)))

    assert _owners(store, "/a.md") == [
        (line, line, version, None) for line, version in enumerate(versions, start=1)
    ]


def test_R3_no_more_renames_are_followed_than_a_number(store, monkeypatch):
    monkeypatch.setattr(blame, "MAX_RENAMES", 1)
    _write(store, "/0.md", "1\n")
    for number in range(3):
        move = (
            delete_operation(f"/{number}.md", over="1\n"),
            put_operation(f"/{number + 1}.md", "1\n"),
        )
        store.change(*move).ok()

    ((_, _, _, unknown),) = _owners(store, "/3.md")

    assert unknown == "too_long"


def test_R3_an_erased_document_has_no_blame(store):
    _write(store, "/a.md", "1\n")
    erase_bodies(store.id, _bodies("/a.md"))

    refused = _blame(store, "/a.md")

    assert refused.status == 404
    assert "erased (redacted)" in refused.message


def test_R3_strangers_and_unknown_documents_are_404(workspace, store):
    _write(store, "/a.md", "1\n")

    assert _blame(as_person(workspace, store.id), "/a.md").status == 404
    assert _blame(store, "/b.md").status == 404
    assert _blame(store, "b.md").status == 400
