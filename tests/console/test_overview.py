"""A store's first page: activity, who works where, and who changed each document last."""

import re
from datetime import timedelta

from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import MemoryStore
from memory.queries.lines import versions_by_day
from memory.queries.versions import canonical_id
from tests.browser.world import write
from tests.console.conftest import Reader, Scene
from tests.factories import grant, make_store
from wire.times import now


def test_activity_has_bars_and_the_same_in_words(scene: Scene, author: Reader) -> None:
    scene.approve(scene.propose("More", {"/more.md": "x\n"}))
    today = now().date()
    page = author.text(scene.path)
    assert '<svg class="bars" aria-hidden="true"' in page
    assert f"3 versions in the last 12 weeks, most of them on {today} (3)" in page
    assert f"/history?since={today}&amp;until={today}" in page
    assert versions_by_day(scene.store, today) == {today: 3}
    assert versions_by_day(scene.store, today + timedelta(days=1)) == {}


def test_open_proposals_and_refs_are_at_hand(scene: Scene, author: Reader) -> None:
    assert "None waits for a decision." in author.text(scene.path)
    proposal = scene.propose("Waits <b>here</b>", {"/open.md": "x\n"})
    page = author.text(scene.path)
    assert "Waits &lt;b&gt;here&lt;/b&gt;" in page
    assert page.count(f"/proposals/{proposal}") == 2
    assert "Who holds which refs" in page


def test_each_document_tells_who_changed_it_last(scene: Scene, author: Reader) -> None:
    MemoryStore.objects.filter(id=scene.store).update(canonical_writes="direct")
    write(scene.reviewer, scene.store, {"/mine.md": "x\n"}, "Mine")
    listing = author.text(scene.path).split('id="listing"')[1]
    rows = {name: listing.split(name, 1)[1].split("</tr>")[0] for name in ("mine.md", "notes.txt")}
    assert "Robin Reviewer" in rows["mine.md"]
    assert "Ada Author" in rows["notes.txt"]


def test_as_many_queries_however_many_proposals_and_documents(scene: Scene, author: Reader) -> None:
    scene.propose("One", {"/o.md": "x\n"})
    with CaptureQueriesContext(connection) as few:
        author.text(scene.path)
    scene.approve(scene.propose("Many", {f"/many-{n}.md": f"{n}\n" for n in range(40)}))
    for number in range(9):
        scene.propose(f"Open {number}", {"/o.md": f"{number}\n"})
    with CaptureQueriesContext(connection) as many:
        page = author.text(scene.path)
    assert len(many) <= len(few) <= 20
    assert len(re.findall(r">Open \d", page)) == 6


def test_a_fork_tells_where_it_came_from(scene: Scene, author: Reader, reviewer: Reader) -> None:
    source = canonical_id(scene.store)
    form = {"name": "copy", "description": "", "owner": f"principal:{scene.author.id}"}
    made = author.post(f"{scene.path}/versions/{source}/fork", form)["Location"]
    fork = made.rpartition("/")[2]
    for page in (author.text(made), author.text(f"{made}/versions/{canonical_id(fork)}")):
        assert "forked from" in page
        assert f"{scene.path}/versions/{source}" in page
        assert "team-memory" in page
    other = make_store(scene.workspace, "other")
    grant(scene.reviewer, other, "read")
    assert "forked from" not in reviewer.text(f"/stores/{other}")
    grant(scene.admin, fork, "read")
    page = Reader(scene.admin).text(made)
    assert "a store that you may not read" in page
    assert source not in page
