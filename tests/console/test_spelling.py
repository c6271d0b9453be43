"""How identifiers, times and sizes are spelled."""

from datetime import UTC, datetime, timedelta

import pytest

from console.browsing import Place, linked_documents
from console.templatetags.console import detail_value, marked, short_hash, short_id, size
from console.times import exact_time, relative_time

NOW = datetime(2026, 8, 27, 9, 30, tzinfo=UTC)
ID = "memver_0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("ago", "words"),
    [
        (timedelta(seconds=9), "just now"),
        (timedelta(seconds=10), "10 s ago"),
        (timedelta(seconds=59), "59 s ago"),
        (timedelta(minutes=1), "1 min ago"),
        (timedelta(minutes=59, seconds=59), "59 min ago"),
        (timedelta(hours=23), "23 h ago"),
        (timedelta(days=29), "29 d ago"),
        (timedelta(days=30), "28 Jul 2026"),
        (timedelta(hours=-2), "in 2 h"),
    ],
)
def test_relative_times(ago: timedelta, words: str) -> None:
    assert relative_time(NOW - ago, NOW) == words


def test_exact_times_are_utc() -> None:
    assert exact_time(NOW) == "2026-08-27 09:30:00.000 UTC"


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 KB"), (999_949, "999.9 KB"), (1_500_000, "1.5 MB")],
)
def test_sizes(count: int, text: str) -> None:
    assert size(count) == text


def test_short_spellings() -> None:
    assert short_id(ID) == "memver_…89abcdef"
    assert short_hash("sha256:" + "ab" * 32) == "sha256:abababab…"
    assert detail_value([ID, "read"]) == "memver_…89abcdef, read"
    assert detail_value(None) == "none"


def test_sentences_are_marked_and_escaped() -> None:
    assert marked(f"Needs `read` on {ID} <b>") == (
        f'Needs <code>read</code> on <code title="{ID}">memver_…89abcdef</code> &lt;b&gt;'
    )


def test_places() -> None:
    place = Place("/a/b/")
    assert place.parent == "/a/"
    assert place.crumbs == [("a", "/a/"), ("b", "/a/b/")]
    assert Place("/").parent == "/"


def test_links_of_documents() -> None:
    resolve = linked_documents("memstore_" + "0" * 32, "/guides/a.md", ID)
    for link, target in (
        ("b.md", "/guides/b.md"),
        ("../x%20y.md#top", "/x y.md"),
        ("../../../up.md", "/up.md"),
    ):
        address = resolve(link)
        assert address is not None
        assert f"path={target.replace('/', '%2F').replace(' ', '+')}&" in address
    assert resolve("#top") is None
