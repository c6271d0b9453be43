"""Comments on the review page: where they stand, who may write them, and without scripts."""

import re
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from memory.access import open_store
from memory.actions.redactions import redact
from proposals.actions.comments import NewComment, add_comment
from proposals.actions.repropose import repropose
from proposals.models import Comment, CommentSide
from proposals.queries.places import Place
from tests.console.conftest import Reader, Scene
from tests.factories import caller_for, grant, make_person, platform

GUIDE = "/guides/releases.md"


@pytest.fixture
def proposal(scene: Scene) -> str:
    return scene.propose("Move", {GUIDE: "# Releasing\n\nWe release on Wednesdays.\n"})


@pytest.fixture
def page(proposal: str) -> str:
    return f"/proposals/{proposal}"


def _say(reader: Reader, page: str, text: str = "Why?", **more: Any) -> Any:
    return reader.post(f"{page}/comments", {"text": text, **more})


def _last() -> Comment:
    return Comment.objects.latest("id")


def _rows(text: str) -> list[str]:
    """The rows of the diff's tables in order: `line` or what a row of comments says."""
    return re.findall(r"<tr.*?</tr>", text, re.DOTALL)


@pytest.mark.parametrize("layout", ["unified", "split"])
@pytest.mark.parametrize(("side", "line", "old"), [("base", 3, "Tuesdays"), ("head", 3, "Wednes")])
def test_a_thread_stands_under_its_line(
    scene: Scene, page: str, reviewer: Reader, layout: str, side: str, line: int, old: str
) -> None:
    place = {"path": GUIDE, "side": side, "line": str(line)}
    answer = _say(reviewer, page, "Here <b>only</b>", **place)
    assert (answer.status_code, answer["Location"]) == (303, f"{page}#comment-{_last().id}")

    rows = _rows(reviewer.text(page, layout=layout))
    (at,) = [number for number, row in enumerate(rows) if "talk-row" in row]
    assert old in rows[at - 1]
    assert "Here &lt;b&gt;only&lt;/b&gt;" in rows[at]
    assert f'colspan="{4 if layout == "unified" else 6}"' in rows[at]


def test_a_line_leads_to_a_form_beneath_it(scene: Scene, page: str, reviewer: Reader) -> None:
    shown = reviewer.text(page)
    (address,) = set(re.findall(r'href="([^"]+head%3A3)"', shown))
    rows = _rows(reviewer.text(address.replace("&amp;", "&")))
    (at,) = [number for number, row in enumerate(rows) if "talk-row" in row]
    assert "Wednesdays" in rows[at - 1]
    assert f'name="path" value="{GUIDE}"' in rows[at]
    fragment = reviewer.get(address, htmx=True).content.decode()
    assert fragment.lstrip().startswith('<div class="talk"')
    assert "<html" not in fragment


@pytest.mark.parametrize("asked", ["no", "/a.md:here:1", "/a.md:head:x", "a.md:head:1"])
def test_a_place_that_is_none_is_refused(page: str, reviewer: Reader, asked: str) -> None:
    assert reviewer.get(page, comment=asked).status_code == 400


def test_comments_on_the_file_on_lines_not_drawn_and_on_all(scene: Scene, reviewer: Reader) -> None:
    lines = [f"line {number}\n" for number in range(1, 60)]
    scene.approve(scene.propose("Long", {"/long.md": "".join(lines)}))
    changed = scene.propose("Last", {"/long.md": "".join([*lines[:-1], "the end\n"])})
    page = f"/proposals/{changed}"
    _say(reviewer, page, "On the file", path="/long.md", side="head")
    _say(reviewer, page, "On line two", path="/long.md", side="head", line="2")
    _say(reviewer, page, "On everything")

    shown = reviewer.text(page)
    file = shown.split('id="file-1"')[1].split("</section>")[0]
    above = file.split('<div class="diff-scroll">')[0]
    assert "On the file" in above
    assert "On line two" in above
    assert "Line 2 of" in above
    assert "On everything" in shown.split('id="talks"')[1].split("</section>")[0]
    assert "3 unresolved threads" in shown
    assert "3 comments, 3 threads unresolved" in reviewer.text("/")


def test_a_thread_is_answered_resolved_and_opened_again(
    page: str, author: Reader, reviewer: Reader
) -> None:
    _say(reviewer, page, path=GUIDE, side="head", line="3")
    begun = _last()
    _say(author, page, "Because.", thread=begun.id)
    assert _last().thread_id == begun.id
    one = f"{page}/comments/{begun.id}"

    assert author.post(one, {"do": "resolve"}).status_code == 303
    shown = author.text(page)
    assert "Resolved by Ada Author" in shown
    assert "unresolved thread" not in shown
    author.post(one, {"do": "unresolve"})
    assert "1 unresolved thread" in author.text(page)


def test_edits_and_deletions_leave_marks_and_are_ones_own(
    page: str, author: Reader, reviewer: Reader
) -> None:
    _say(reviewer, page)
    one = f"{page}/comments/{_last().id}"
    assert author.post(one, {"do": "edit", "text": "Mine"}).status_code == 403
    assert "Save" not in author.text(page)
    blank = reviewer.post(one, {"do": "edit", "text": " "})
    assert (blank.status_code, "Write something." in blank.content.decode()) == (422, True)
    reviewer.post(one, {"do": "edit", "text": "Why so?"})
    shown = author.text(page)
    assert "Why so?" in shown
    assert ", edited <time" in shown
    reviewer.post(one, {"do": "delete"})
    shown = author.text(page)
    assert "Why so?" not in shown
    assert "Deleted by its author" in shown
    assert reviewer.post(one, {"do": "shout"}).status_code == 400


def test_a_refused_comment_keeps_what_was_typed(page: str, reviewer: Reader) -> None:
    answer = _say(reviewer, page, "Kept words", path=GUIDE, side="head", line="99")
    shown = answer.content.decode()
    assert answer.status_code == 400
    assert "The document has 3 lines on this side." in shown
    assert "Kept words" in shown
    htmx = reviewer.post(f"{page}/comments", {"text": " ", "path": GUIDE}, htmx=True)
    assert htmx.status_code == 422
    assert "Write something." in htmx.content.decode()
    nonsense = {"text": "Kept", "path": GUIDE, "side": "left"}
    for with_htmx in (True, False):
        assert reviewer.post(f"{page}/comments", nonsense, htmx=with_htmx).status_code == 422
    _say(reviewer, page)
    reply = _say(reviewer, page, " ", thread=_last().id)
    assert reply.status_code == 422
    assert "Write something." in reply.content.decode()
    assert Comment.objects.count() == 1


def test_htmx_gets_the_thread_and_the_count(page: str, reviewer: Reader) -> None:
    first = reviewer.post(f"{page}/comments", {"text": "On all"}, htmx=True).content.decode()
    assert "<html" not in first
    assert "On all" in first
    assert first.count('name="text"') == 3, "the reply, the edit, and another comment"
    assert 'id="open-threads" hx-swap-oob="true"' in first
    reply = reviewer.post(
        f"{page}/comments", {"text": "More", "thread": _last().id}, htmx=True
    ).content.decode()
    assert "More" in reply
    assert "Comment on the Proposal" not in reply


def test_pressing_twice_comments_once(page: str, reviewer: Reader) -> None:
    token = re.findall(r'name="token" value="([^"]+)"', reviewer.text(page))[-1]
    for _ in range(2):
        _say(reviewer, page, token=token)
    assert Comment.objects.count() == 1


def test_readers_look_and_do_not_write(scene: Scene, page: str, reviewer: Reader) -> None:
    _say(reviewer, page, "Look at this", path=GUIDE, side="head", line="3")
    person = make_person(scene.workspace, "Rita Reader", username="rita")
    grant(person, scene.store, "read")
    reader = Reader(person)
    shown = reader.text(page)
    assert "Look at this" in shown
    assert "/comments" not in shown
    assert "?comment=" not in shown
    assert _say(reader, page).status_code == 403


def test_after_reproposing_the_threads_are_told_as_of_the_earlier_head(
    scene: Scene, proposal: str, page: str, reviewer: Reader
) -> None:
    _say(reviewer, page, "Still true?", path=GUIDE, side="head", line="3")
    scene.approve(scene.propose("Else", {"/else.md": "else\n"}))
    access = open_store(caller_for(scene.author), scene.store)
    new = repropose(access=access, proposal_id=proposal).proposal_id
    shown = reviewer.text(f"/proposals/{new}")
    earlier = shown.split("about what this Proposal replaces")[1].split("</details>")[0]
    assert "Still true?" in earlier
    assert "as of an earlier head" in earlier
    assert f"{page}#talk-" in earlier
    assert "talk-row" not in shown
    assert "unresolved thread" not in shown


def test_the_timeline_tells_of_comments(page: str, reviewer: Reader) -> None:
    _say(reviewer, page, path=GUIDE, side="base", line="3")
    told = reviewer.text(page).split('id="timeline-head"')[1]
    assert f'href="#comment-{_last().id}">commented</a> on line 3 of' in told
    assert "before the change" in told


def test_a_redaction_leaves_marks_alone(
    scene: Scene, proposal: str, page: str, reviewer: Reader
) -> None:
    _say(reviewer, page, "Secret words", path=GUIDE, side="head", line="3")
    redact(access=open_store(platform(scene.workspace), scene.store), paths=[GUIDE])
    shown = reviewer.text(page)
    assert "Secret words" not in shown
    assert "because a path that the Proposal changes was redacted" in shown
    assert "?comment=" not in shown


def test_a_file_that_is_loaded_later_brings_its_comments(
    scene: Scene, proposal: str, page: str, reviewer: Reader
) -> None:
    _say(reviewer, page, "On the loaded line", path=GUIDE, side="head", line="3")
    comment = _last()
    other = comment.proposal
    ends = {"base": other.base_id, "head": other.head_id}
    query: dict[str, Any] = {**ends, "path": GUIDE, "proposal": proposal}
    shown = reviewer.get(f"{scene.path}/compare/file", htmx=True, **query).content.decode()
    assert "On the loaded line" in shown
    alone = reviewer.text(f"{scene.path}/compare/file", **(query | {"proposal": ""}))
    assert "On the loaded line" not in alone
    wrong = query | {"base": other.head_id, "head": other.base_id}
    assert reviewer.get(f"{scene.path}/compare/file", **wrong).status_code == 404


def test_a_page_costs_the_same_however_much_was_said(
    scene: Scene,
    proposal: str,
    page: str,
    reviewer: Reader,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    access = open_store(caller_for(scene.author), scene.store)
    for number in range(30):
        place = Place(GUIDE, CommentSide.HEAD, number % 3 + 1)
        comment = NewComment(f"Number {number}", place)
        add_comment(access=access, proposal_id=proposal, comment=comment)
    with django_assert_max_num_queries(30):
        assert "Number 29" in reviewer.text(page)
