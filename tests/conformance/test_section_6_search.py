"""Contract Q1: what is found at an exact version, in which order, and what is found no more."""

import os
import subprocess
import sys
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connection, transaction

from memory import refs
from memory.actors import IMPORTER
from memory.models import DocumentBody, DocumentVersion, MemoryVersion, VersionKind
from memory.refs import CANONICAL
from memory.versions.sealing import Put, draft, seal
from tests.client import random_id
from tests.erasure import erase_bodies
from tests.stores import as_person, delete_operation, personal_store, put_operation, shared_store
from wire.times import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def store(workspace):
    return personal_store(workspace)


def _ask(store, query, **more):
    return store.api.post(store.url("search"), {"query": query, **more}, key=None)


def _found(store, query, **more):
    return [result["path"] for result in _ask(store, query, **more).ok()["results"]]


def _all_pages(store, query, limit=2, **more):
    """Every result of a search, page by page, each page as the wire has it."""
    pages: list[Any] = []
    cursor: dict[str, str] = {}
    while True:
        page = _ask(store, query, limit=limit, **more, **cursor).ok()
        pages.append(page["results"])
        if page["next_cursor"] is None:
            return pages
        more["version"] = page["version"]
        cursor = {"cursor": page["next_cursor"]}


def _fill(store, texts):
    return store.change(*(put_operation(path, text) for path, text in texts.items())).ok()[
        "version"
    ]


MANY = {f"/n{number:02}.md": "plan " * (number % 4 + 1) for number in range(12)}


# --- what is found -----------------------------------------------------------------------------

TEXT = """# Deploying
Call getUserName before HTTPServer starts; max_retry_count and kebab-case-name are in
config.settings.base, the digest is sha256. The
Straße is \uff37\uff29\uff24\uff25. Cafe\u0301 au lait.
東京都庁は新宿にあります。 서울에서 만나요. สวัสดีชาวโลก
It's a long way.
"""


@pytest.mark.parametrize(
    "query",
    [
        "deploying",
        "DEPLOYING",
        "getUserName",
        "getusername",
        "user",
        "userName",
        "get_user_name",
        "HTTPServer",
        "http",
        "server",
        "max_retry_count",
        "retry",
        "retry_count",
        "kebab-case-name",
        "kebab",
        "config.settings.base",
        "settings",
        "sha256",
        "sha",
        "256",
        "strasse",
        "straße",
        "wide",
        "café",
        "cafe\u0301",
        "東京",
        "京都庁",
        "新",
        "東京都庁は新宿",
        "서울",
        "สวัสดี",
        "it's",
        "runbooks",
        "/team/runbooks",
        "deployService",
        "deploy",
        '"before HTTPServer starts"',
        "long deploying server",
        "deploying -absent",
        '"deploying" -"server long"',
    ],
)
def test_Q1_words_identifiers_their_parts_paths_and_unspaced_scripts_are_found(store, query):
    _fill(store, {"/team/runbooks/deployService.md": TEXT, "/other.md": "nothing of it"})

    assert _found(store, query) == ["/team/runbooks/deployService.md"]


@pytest.mark.parametrize(
    "query",
    [
        "deploying absent",
        "ploy",
        '"starts before"',
        "東庁",
        "京東",
        "deploying -sha256",
        'long -"getUserName before"',
        "case_kebab",
    ],
)
def test_Q1_what_is_not_there_is_not_found(store, query):
    _fill(store, {"/team/runbooks/deployService.md": TEXT})

    assert _found(store, query) == []


def test_Q1_a_phrase_never_spans_path_and_text(store):
    _fill(store, {"/a/path.txt": "text"})

    assert _found(store, '"txt text"') == []
    assert _found(store, "txt text") == ["/a/path.txt"]


def test_Q1_words_far_behind_in_a_long_text_are_found(store):
    filler = "x " * 20_000
    _fill(store, {"/long.md": filler + "theLastWords 東京都庁", "/b.md": filler})

    for query in ("last", "theLastWords", '"the last words"', "東京都庁"):
        assert _found(store, query) == ["/long.md"]


def test_Q1_a_text_of_the_largest_size_that_grows_when_folded_can_be_written(store):
    grows = "".join(f"\ufdfa{chr(0x4E00 + at)}\ufdfa " for at in range(9_000))
    _fill(store, {"/a.md": f"firstWord {grows}"})

    assert _found(store, "firstWord") == ["/a.md"]


# --- where it is looked for ----------------------------------------------------------------------


def test_Q1_a_search_is_of_one_exact_version(store):
    first = _fill(store, {"/a.md": "alpha", "/b.md": "alpha"})
    second = store.change(
        put_operation("/a.md", "beta", over="alpha"), delete_operation("/b.md", over="alpha")
    ).ok()["version"]

    assert _found(store, "alpha", version=first) == ["/a.md", "/b.md"]
    assert _found(store, "beta", version=first) == []
    assert _found(store, "alpha", version=second) == _found(store, "alpha") == []
    assert _found(store, "beta") == ["/a.md"]
    assert _ask(store, "beta").ok()["version"] == second
    assert _found(store, "alpha", version=first.replace("memver", "mrev")) == ["/a.md", "/b.md"]


@pytest.mark.parametrize(
    ("prefix", "found"),
    [
        ("/", ["/a-b.md", "/a/b.md", "/a/c/d.md", "/ab.md"]),
        ("/a", ["/a/b.md", "/a/c/d.md"]),
        ("/a/", ["/a/b.md", "/a/c/d.md"]),
        ("/a/c", ["/a/c/d.md"]),
        ("/ab.md", ["/ab.md"]),
        ("/b", []),
    ],
)
def test_Q1_a_prefix_ends_at_a_segment(store, prefix, found):
    _fill(store, dict.fromkeys(["/a-b.md", "/a/b.md", "/a/c/d.md", "/ab.md"], "word"))

    assert _found(store, "word", path_prefix=prefix) == found


def test_Q1_another_store_is_not_searched(workspace, store):
    other = personal_store(workspace)
    _fill(other, {"/secret.md": "canary"})
    _fill(store, {"/a.md": "text"})

    assert _found(store, "canary") == []
    assert _found(store, "a") == ["/a.md"]


def test_Q1_strangers_get_what_a_random_id_gets(workspace, store):
    version = _fill(store, {"/a.md": "text"})
    stranger = as_person(workspace, store.id)

    refused = _ask(stranger, "text", version=version)

    nothing = as_person(workspace, random_id("store"))
    assert (refused.status, refused.body) == (404, _ask(nothing, "text", version=version).body)
    foreign = _fill(personal_store(workspace), {"/b.md": "text"})
    assert _ask(store, "text", version=foreign).status == 404


# --- order and pages -------------------------------------------------------------------------


def test_Q1_more_and_nearer_words_come_first_and_ties_stand_by_path_bytes(store):
    _fill(
        store,
        {
            "/é.md": "plan",
            "/z.md": "plan",
            "/Z.md": "plan",
            "/often.md": "plan plan plan",
            "/plan.md": "about it",
        },
    )
    _fill(store, {"/far.md": "red " + "x " * 50 + "blue", "/near.md": "red blue"})

    assert _found(store, "plan") == ["/plan.md", "/often.md", "/Z.md", "/z.md", "/é.md"]
    assert _found(store, "red blue") == ["/near.md", "/far.md"]


def test_Q1_a_long_query_is_answered_whole_and_scored_by_its_first_words(store):
    """PostgreSQL scores hundreds of words in cubic time; it is never asked to."""
    from memory.search.queries import MOST_RANKED_WORDS, parse_search

    words = [f"{first}{second}" for first in "abcdefgh" for second in "abcdefghijklmno"]
    _fill(store, {"/all.md": f"{' '.join(words)} " * 20, "/most.md": " ".join(words[:-1])})

    for query in (" ".join(words), f'"{" ".join(words)}"', ".".join(words)):
        assert _found(store, query) == ["/all.md"]
        assert parse_search(query).ranking.count("'") < 2 * 5 * MOST_RANKED_WORDS


def test_Q1_pages_are_the_whole_without_gap_or_repetition(store):
    _fill(store, MANY)

    whole = _ask(store, "plan", limit=100).ok()

    assert whole["next_cursor"] is None
    pages = _all_pages(store, "plan", limit=5)
    assert [len(page) for page in pages] == [5, 5, 2]
    assert [result for page in pages for result in page] == whole["results"]
    ranks = [(-result["score"], result["path"].encode()) for result in whole["results"]]
    assert ranks == sorted(ranks)


def test_Q1_later_writes_move_neither_order_nor_scores_nor_pages(workspace, store):
    version = _fill(store, MANY)
    before = _all_pages(store, "plan", version=version)
    first = _ask(store, "plan", version=version, limit=2).ok()

    _fill(store, {f"/more/{number}.md": "plan " * 40 for number in range(30)})
    store.put("/n03.md", "plan no more", over=MANY["/n03.md"]).ok()
    _fill(personal_store(workspace), MANY)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memory_documentbody")

    assert _all_pages(store, "plan", version=version) == before
    following = _ask(store, "plan", version=version, cursor=first["next_cursor"], limit=2).ok()
    assert following["results"] == before[1]


SECOND_PROCESS = """
import django; django.setup()
from memory.queries.search import search
from memory.search.queries import parse_search
from memory.search.snippets import snippet
store, version, text = {store!r}, {version!r}, {text!r}
query = parse_search(text)
for hit in search(store, version, query, limit=100):
    print(hit.path, hit.score, snippet(hit.text, query.lexemes))
"""


@pytest.mark.django_db(transaction=True)
def test_Q1_another_process_answers_the_same(store):
    from memory.queries.search import search
    from memory.search.queries import parse_search
    from memory.search.snippets import snippet

    version = _fill(store, MANY | {"/é.md": "東京 plan", "/tokyo.md": "plan 東京都"})
    query = parse_search("plan -absent")
    here = [
        f"{hit.path} {hit.score} {snippet(hit.text, query.lexemes)}"
        for hit in search(store.id, version, query, limit=100)
    ]

    assert _in_another_process(store.id, version, "plan -absent") == here
    assert len(here) == 14


def _in_another_process(store_id, version, text):
    from django.conf import settings

    database = connection.settings_dict["NAME"]
    url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{database}").geturl()
    code = SECOND_PROCESS.format(store=store_id, version=version, text=text)
    environment = {
        "DATABASE_URL": url,
        "SECRET_KEY": "another process, another secret, and still the same results",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONHASHSEED": "77",
        "PYTHONIOENCODING": "utf-8",
    }
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    return run.stdout.splitlines()


# --- cursors -----------------------------------------------------------------------------------


def test_Q1_a_cursor_goes_on_in_its_version_wherever_canonical_is(store):
    version = _fill(store, MANY)
    first = _ask(store, "plan", limit=4).ok()
    expected = _ask(store, "plan", version=version, limit=100).ok()["results"]
    store.put("/n00.md", "else", over=MANY["/n00.md"]).ok()

    following = _ask(store, "plan", version=version, cursor=first["next_cursor"], limit=100).ok()

    assert first["results"] + following["results"] == expected


def test_Q1_a_cursor_without_its_version_is_400(store):
    _fill(store, MANY)
    cursor = _ask(store, "plan", limit=4).ok()["next_cursor"]

    refused = _ask(store, "plan", cursor=cursor, limit=4)

    assert refused.status == 400
    assert refused.message.startswith("version:")


def _tampered(cursor):
    return ("B" if cursor[0] == "A" else "A") + cursor[1:]


@pytest.mark.parametrize("change", [_tampered, lambda cursor: cursor[:-1], lambda _: "nonsense"])
def test_Q1_a_tampered_cursor_is_400(store, change):
    version = _fill(store, MANY)
    cursor = _ask(store, "plan", limit=4).ok()["next_cursor"]

    refused = _ask(store, "plan", version=version, cursor=change(cursor))

    assert refused.status == 400
    assert refused.message.startswith("cursor:")


def test_Q1_a_cursor_of_another_search_is_400(workspace, store):
    first, version = _fill(store, {"/0.md": "plan"}), _fill(store, MANY)
    cursor = _ask(store, "plan", limit=4).ok()["next_cursor"]
    other = shared_store(workspace)
    elsewhere = _fill(other, MANY)

    assert _ask(store, "plans", version=version, cursor=cursor).status == 400
    assert _ask(store, "plan", version=first, cursor=cursor).status == 400
    assert _ask(store, "plan", version=version, path_prefix="/", cursor=cursor).status == 400
    assert _ask(other, "plan", version=elsewhere, cursor=cursor).status == 400


# --- erasure -----------------------------------------------------------------------------------


def _document(path):
    return DocumentVersion.objects.filter(path=path).latest("id").id


def test_Q1_an_erased_document_is_found_by_nothing(store):
    version = _fill(store, {"/canary.md": "canaryWord", "/b.md": "canaryWord too"})
    erase_bodies(store.id, [_document("/canary.md")])

    for query in ("canaryWord", "canary", "word"):
        assert _found(store, query) == _found(store, query, version=version) == ["/b.md"]


def test_Q1_what_erasing_removes_is_all_that_search_kept(store):
    _fill(store, {"/canary.md": "canaryWord"})
    erase_bodies(store.id, [_document("/canary.md")])

    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM memory_documentbody")
        assert cursor.fetchone() == (0,)


def test_Q1_an_erasure_ends_the_cursors_that_are_older(store):
    version = _fill(store, MANY)
    cursor = _ask(store, "plan", limit=4).ok()["next_cursor"]
    erase_bodies(store.id, [_document("/n00.md")])

    refused = _ask(store, "plan", version=version, cursor=cursor)

    assert (refused.status, refused.error) == (409, "memory.conflict")
    assert len(_ask(store, "plan", version=version, limit=100).ok()["results"]) == len(MANY) - 1


def _expiring(store, ends_at):
    """A version whose document /late.md expires."""
    at = MemoryVersion.objects.get(id=store.canonical)
    with transaction.atomic():
        version = seal(
            store_id=store.id,
            draft=draft(at, {"/late.md": Put("plan", expires_at=ends_at)}),
            kind=VersionKind.IMPORT,
            actor=IMPORTER,
        )
        refs.advance(
            store_id=store.id, name=CANONICAL, expected=at.id, to=version.id, actor=IMPORTER
        )
    return version.id


def test_Q1_an_expired_document_is_not_found_though_its_body_is_still_there(store):
    _fill(store, {"/a.md": "plan"})
    _expiring(store, now() - timedelta(seconds=1))

    assert _found(store, "plan") == ["/a.md"]
    assert DocumentBody.objects.filter(document_version=_document("/late.md")).exists()


def test_Q1_a_document_that_expires_ends_the_cursors_that_are_older(store, monkeypatch):
    _fill(store, MANY)
    version = _expiring(store, now() + timedelta(hours=1))
    cursor = _ask(store, "plan", limit=1).ok()["next_cursor"]
    assert _ask(store, "plan", version=version, cursor=cursor).status == 200

    later = now() + timedelta(hours=2)
    monkeypatch.setattr("memory.search.cursors.now", lambda: later)

    assert _ask(store, "plan", version=version, cursor=cursor).status == 409


# --- snippets and input --------------------------------------------------------------------------


def test_Q1_a_snippet_is_the_documents_own_text_with_what_matched(store):
    text = (
        "# Title\n\n"
        + "filler words here\n" * 40
        + "The <b>deployService</b> runs.\n"
        + "x\n" * 200
    )
    _fill(store, {"/a.md": text})

    (result,) = _ask(store, "service runs").ok()["results"]

    found = result["snippet"]
    assert found["text"] in text
    assert len(found["text"]) <= 240
    assert found["line"] == 43
    marked = [found["text"][each["start"] : each["end"]] for each in found["highlights"]]
    assert marked == ["Service", "runs"]


def test_Q1_a_document_found_by_its_path_shows_its_beginning(store):
    _fill(store, {"/plans/a.md": "Hello there."})

    (result,) = _ask(store, "plans").ok()["results"]

    assert result["snippet"] == {"text": "Hello there.", "line": 1, "highlights": []}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"query": ""},
        {"query": "   "},
        {"query": "!!! ---"},
        {"query": "-only -exclusions"},
        {"query": "x" * 401},
        {"query": 7},
        {"query": "a\u0000b"},
        {"query": "a", "limit": 0},
        {"query": "a", "limit": 101},
        {"query": "a", "limit": "5"},
        {"query": "a", "path_prefix": "notes"},
        {"query": "a", "version": "memver_1"},
        {"query": "a", "cursor": "x" * 20_000},
        {"query": "a", "page": "x"},
    ],
)
def test_Q1_input_is_strict(store, body):
    refused = store.api.post(store.url("search"), body, key=None)

    assert (refused.status, refused.error) == (400, "validation.malformed")


@pytest.mark.parametrize(
    "query",
    ["it's \\ & | ! :* <-> (", '"unfinished phrase', "a:*", "x'; --", "%s %(x)s", "a" * 200],
)
def test_Q1_nothing_in_a_query_is_syntax_of_the_database(store, query):
    _fill(store, {"/notes.md": "text"})

    assert _found(store, query) == []


def test_Q1_search_stands_behind_the_fence(store, settings):
    _fill(store, {"/a.md": "text"})
    settings.VERSIONED_SURFACE = False

    assert _ask(store, "text").error == "memory.backend_unavailable"
