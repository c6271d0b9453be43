"""Reading a change: steps into gaps, white space, rendered Markdown, what is loaded."""

import re
from html import unescape

import pytest
from pytest_django import DjangoAssertNumQueries

from console.drawing import diffs as diffing
from memory.access import open_store
from memory.actions.stores import StoreChanges, change_store
from memory.queries.versions import canonical_id
from memory.trees.hashing import spell_hash
from proposals.models import Proposal, ProposalApproval
from tenancy.models import AuditEntry
from tests.browser.world import decide
from tests.console.conftest import Reader, Scene
from tests.factories import caller_for, grant, make_person

LINES = [f"line {number}\n" for number in range(1, 101)]


def _long(scene: Scene) -> str:
    """A Proposal that changes lines 20 and 60 of 100."""
    scene.approve(scene.propose("Long", {"/long.txt": "".join(LINES)}))
    changed = [line.upper() if n in {20, 60} else line for n, line in enumerate(LINES, 1)]
    return scene.propose("Change it", {"/long.txt": "".join(changed)})


def _gaps(page: str) -> dict[str, str]:
    """The links into gaps, by their words; of equal ones the first."""
    found = re.findall(r'<a href="([^"]*)" data-gap>([^<]*)</a>', page)
    return {words: unescape(href) for href, words in reversed(found)}


class TestGaps:
    def test_steps_lead_on(self, scene: Scene, reviewer: Reader) -> None:
        page = reviewer.text(f"/proposals/{_long(scene)}")
        links = _gaps(page)
        assert set(links) == {
            "Show 16 unchanged lines",
            "\N{DOWNWARDS ARROW} 20 more lines",
            "\N{UPWARDS ARROW} 20 more lines",
            "Show 33 unchanged lines",
            "Show 37 unchanged lines",
        }
        assert "line 30" not in page
        opened = reviewer.text(links["\N{DOWNWARDS ARROW} 20 more lines"])
        assert "line 30" in opened
        assert "line 50" not in opened
        assert "Show 13 unchanged lines" in opened
        everything = reviewer.text(_gaps(opened)["Show 13 unchanged lines"])
        assert "line 50" in everything
        assert everything.count("@@") == 2, "both hunks are one"

    def test_a_fragment_keeps_what_the_page_has(self, scene: Scene, reviewer: Reader) -> None:
        page = reviewer.text(f"/proposals/{_long(scene)}", layout="split", space="ignored")
        link = _gaps(page)["Show 33 unchanged lines"]
        assert "layout=split&space=ignored" in link
        part = reviewer.get(link, htmx=True).content.decode()
        assert "<html" not in part
        assert 'class="code diff split"' in part
        assert "data-comment" in part, "lines still take comments"
        assert "data-viewed-box" in part

    @pytest.mark.parametrize("gaps", ["1", "1:2", "a:1:1", "1:1:1,", "1:-1:0"])
    def test_gaps_are_spelled_right(self, scene: Scene, reviewer: Reader, gaps: str) -> None:
        assert reviewer.get(f"/proposals/{_long(scene)}", gaps=gaps).status_code == 400


class TestWhiteSpace:
    def test_what_is_hidden_is_counted(self, scene: Scene, reviewer: Reader) -> None:
        scene.approve(scene.propose("One", {"/a.txt": "a b\nc\n", "/b.txt": "x\n"}))
        proposal = scene.propose("Two", {"/a.txt": "a  b\nd\n", "/b.txt": "  x\n"})
        page = reviewer.text(f"/proposals/{proposal}")
        assert "a<mark>  </mark>b" in page
        assert "Hides" not in page
        hiding = reviewer.text(f"/proposals/{proposal}", space="ignored")
        assert "Hides 2 lines" in hiding
        assert hiding.count("1 line that differs only in white space is hidden.") == 2
        assert "2 lines that differ in white space are hidden" in hiding, "where one decides"
        assert hiding.count('<td class="tx add">') == 1
        assert "The text is the same" not in hiding


class TestRendered:
    def test_blocks_stand_beside_the_source(self, scene: Scene, reviewer: Reader) -> None:
        before = "# Head\n\nOne.\n\nTwo.\n\n- a\n- b\n\nEnd.\n"
        scene.approve(scene.propose("One", {"/a.md": before}))
        after = before.replace("Two.", "**Two**, now.")
        proposal = scene.propose("Two", {"/a.md": after})
        assert 'class="rendering"' not in reviewer.text(f"/proposals/{proposal}")
        page = reviewer.text(f"/proposals/{proposal}", view="rendered")
        shown = page.split('class="rendering"')[1]
        removed = '<span class="visually-hidden">Removed:</span><p>Two.</p>'
        assert f'data-part="removed">{removed}' in shown
        assert "<p><strong>Two</strong>, now.</p>" in shown
        assert shown.count('class="left-out"') == 2
        assert "**Two**" in page, "the source stays"

    def test_a_page_renders_so_much_and_says_where_it_stops(
        self, scene: Scene, reviewer: Reader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(diffing, "RENDERED_BYTES", 60)
        texts: dict[str, str | None] = {f"/{name}.md": f"*{name}*\n" * 10 for name in "abc"}
        proposal = scene.propose("Much", texts | {"/d.txt": "x\n"})
        page = reviewer.text(f"/proposals/{proposal}", view="rendered")
        assert "<em>a</em>" in page
        assert "<em>b</em>" not in page
        assert page.count("too much text on this page") == 2

    def test_nothing_in_it_runs(self, scene: Scene, reviewer: Reader) -> None:
        text = "<script>alert(1)</script>\n\n[x](javascript:alert(1)) zero\u200bwidth\n"
        proposal = scene.propose("Hostile", {"/a.md": text})
        page = reviewer.text(f"/proposals/{proposal}", view="rendered")
        assert "<script>alert" not in page
        assert 'href="javascript' not in page
        assert "\u200b" not in page


class TestUnshown:
    @pytest.fixture
    def proposal(self, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> str:
        monkeypatch.setattr(diffing, "FILE_LINES", 10)
        texts: dict[str, str | None] = {f"/{name}.txt": "x\n" * 30 for name in "ab"}
        return scene.propose("Long", texts)

    def _approve(self, reader: Reader, proposal: str, **more: str | list[str]) -> int:
        row = Proposal.objects.get(id=proposal)
        form = {
            "response": "approve",
            "base_version": row.base_id,
            "head_version": row.head_id,
            "diff_hash": spell_hash(bytes(row.diff_hash)),
            "note": "My words.",
        }
        answer = reader.post(f"/proposals/{proposal}/respond", form | more)
        self.page = answer.content.decode()
        return int(answer.status_code)

    def test_it_takes_a_tick(self, scene: Scene, proposal: str, reviewer: Reader) -> None:
        page = reviewer.text(f"/proposals/{proposal}")
        assert "I approve it without having seen 2 files in full." in page
        assert self._approve(reviewer, proposal) == 400
        assert "Not all of the change was shown to you." in self.page
        assert ">My words.</textarea>" in self.page
        assert canonical_id(scene.store) != Proposal.objects.get(id=proposal).head_id
        assert self._approve(reviewer, proposal, unshown="yes") == 303
        page = reviewer.text(f"/proposals/{proposal}")
        assert "without having seen 2 files in full" in page.split('id="timeline-head"')[1]
        assert Proposal.objects.get(id=proposal).unshown_count == 2
        entry = AuditEntry.objects.filter(event="proposal.approved").latest("id")
        assert entry.detail["unshown"] == 2

    def test_what_is_loaded_counts_as_seen(
        self, scene: Scene, proposal: str, reviewer: Reader
    ) -> None:
        page = reviewer.text(f"/proposals/{proposal}")
        assert f'href="/proposals/{proposal}?load=%2Fa.txt#file-1"' in page
        page = reviewer.text(f"/proposals/{proposal}?load=%2Fa.txt")
        assert "I approve it without having seen 1 file in full." in page
        assert 'name="load" value="/a.txt" form="approve-form"' in page
        assert self._approve(reviewer, proposal, load=["/a.txt"]) == 400
        page = reviewer.text(f"/proposals/{proposal}?load=%2Fa.txt&load=%2Fb.txt")
        assert "without having seen" not in page
        assert self._approve(reviewer, proposal, load=["/a.txt", "/b.txt"]) == 303
        assert Proposal.objects.get(id=proposal).unshown_count == 0

    def test_rejecting_takes_none(self, proposal: str, reviewer: Reader) -> None:
        assert self._approve(reviewer, proposal, response="reject") == 303
        assert Proposal.objects.get(id=proposal).unshown_count is None

    def test_a_kept_approval_tells_it(self, scene: Scene, proposal: str, reviewer: Reader) -> None:
        other = make_person(scene.workspace, "Sam Second", username="sam")
        grant(other, scene.store, "read", "review", "admin")
        access = open_store(caller_for(other), scene.store)
        changes = StoreChanges(minimum_approvals=2)
        change_store(access=access, version=access.store.version, changes=changes)
        assert self._approve(reviewer, proposal, unshown="yes") == 303
        assert ProposalApproval.objects.get().unshown_count == 2
        decide(other, scene.store, proposal, "approve")
        page = reviewer.text(f"/proposals/{proposal}")
        assert page.count("without having seen 2 files in full") == 1


def test_a_file_is_loaded_in_place(
    scene: Scene, reviewer: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diffing, "FILE_LINES", 10)
    proposal = scene.propose("Long", {"/a.txt": "x\n" * 30})
    page = reviewer.text(f"/proposals/{proposal}")
    url = unescape(re.findall(r'hx-get="([^"]*compare/file[^"]*)"', page)[0])
    part = reviewer.get(url, htmx=True).content.decode()
    assert 'name="load" value="/a.txt" form="approve-form"' in part
    assert "data-withheld" not in part


def test_a_page_loads_so_many_files_and_no_more(scene: Scene, reviewer: Reader) -> None:
    proposal = scene.propose("One", {"/a.txt": "x\n"})
    query = "&".join(f"load=/{number}.txt" for number in range(21))
    assert reviewer.client.get(f"/proposals/{proposal}?{query}").status_code == 400


def test_a_page_asks_no_more_however_many_files(
    scene: Scene, reviewer: Reader, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    texts: dict[str, str | None] = {f"/{number}.md": "text\n" for number in range(60)}
    proposal = scene.propose("Sixty", texts)
    with django_assert_max_num_queries(26):
        page = reviewer.text(f"/proposals/{proposal}", view="rendered")
    assert page.count("data-viewed-box") == 60
