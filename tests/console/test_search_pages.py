"""Search and blame in the Console: what a person sees, with nothing of a text taken for markup."""

from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse

from memory.models import DocumentVersion
from tenancy.models import Principal
from tests.erasure import erase_bodies
from tests.factories import grant, make_person
from tests.stores import StoreClient, put_operation, shared_store

pytestmark = pytest.mark.django_db

EVIL = "Before.\n<script>alert('needle')</script> needle \u202eafter\n"


@pytest.fixture
def store(workspace) -> StoreClient:
    return shared_store(workspace)


@pytest.fixture
def browser(workspace, store) -> Client:
    """A signed-in person who may read the store."""
    person = make_person(workspace, username="reader")
    grant(person, store.id, "read")
    return _signed_in(person)


def _signed_in(person: Principal) -> Client:
    client = Client()
    assert person.user is not None
    client.force_login(person.user)
    return client


def _page(browser: Client, store: StoreClient, name: str, **query: str) -> tuple[int, str]:
    answer = browser.get(f"{reverse(f'console:{name}', args=[store.id])}?{urlencode(query)}")
    return answer.status_code, answer.content.decode()


def test_results_show_the_text_escaped_with_its_hits_marked(browser, store):
    store.change(put_operation("/a.md", EVIL)).ok()

    status, page = _page(browser, store, "store-search", words="needle")

    assert status == 200
    assert page.count("<mark>needle</mark>") == 2
    assert "&lt;script&gt;alert" in page
    assert "<script>alert" not in page
    assert "U+202E" in page


def test_search_on_a_version_stays_there(browser, store):
    first = store.change(put_operation("/a.md", "needle")).ok()["version"]
    store.put("/a.md", "else", over="needle").ok()

    assert "Nothing matches" in _page(browser, store, "store-search", words="needle")[1]
    _, page = _page(browser, store, "store-search", words="needle", version=first)
    assert "<mark>needle</mark>" in page
    assert f"version={first}" in page


def test_more_results_than_a_page_are_reached(browser, store):
    store.change(*(put_operation(f"/{n:02}.md", "needle") for n in range(25))).ok()

    _, page = _page(browser, store, "store-search", words="needle")

    following = page.partition('href="?')[2].partition('"')[0].replace("&amp;", "&")
    assert "cursor=" in following
    address = reverse("console:store-search", args=[store.id])
    rest = browser.get(f"{address}?{following}").content.decode()
    assert page.count("<mark>") == 20
    assert rest.count("<mark>") == 5


@pytest.mark.parametrize(("words", "told"), [("-needle", "holds no word"), ("x" * 401, "at most")])
def test_a_query_that_asks_for_nothing_is_told(browser, store, words, told):
    status, page = _page(browser, store, "store-search", words=words)

    assert status == 400
    assert told in page


def test_a_directory_narrows_the_search(browser, store):
    store.change(put_operation("/in/a.md", "needle"), put_operation("/out/b.md", "needle")).ok()

    _, page = _page(browser, store, "store-search", words="needle", dir="/in/")

    assert "/in/a.md" in page
    assert "/out/b.md" not in page


def test_blame_shows_who_wrote_which_line(browser, store):
    first = store.change(put_operation("/a.md", "1\n2\n")).ok()["version"]
    second = store.put("/a.md", "1\ntwo\n", over="1\n2\n").ok()["version"]

    status, page = _page(browser, store, "document", path="/a.md", view="blame")

    assert status == 200
    table = page.partition('<table class="code source blame">')[2].partition("</table>")[0]
    assert first in table
    assert second in table
    assert table.count("<tr") == 2


def test_blame_says_where_it_cannot_know(browser, store):
    store.change(put_operation("/a.md", "1\n")).ok()
    erased = DocumentVersion.objects.get().id
    store.put("/a.md", "1\n2\n", over="1\n").ok()
    erase_bodies(store.id, [erased])

    _, page = _page(browser, store, "document", path="/a.md", view="blame")

    assert "unknown before" in page


def test_strangers_find_nothing(workspace, store):
    stranger = _signed_in(make_person(workspace, username="stranger"))

    assert _page(stranger, store, "store-search", words="a")[0] == 404
