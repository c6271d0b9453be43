"""Files are ticked off as viewed, each person for themselves, until the head's text is another."""

import pytest
from pytest_django import DjangoAssertNumQueries

from memory.access import open_store
from proposals.actions.repropose import repropose
from proposals.models import Viewing
from tests.console.conftest import Reader, Scene
from tests.factories import caller_for, grant, make_person


@pytest.fixture
def proposal(scene: Scene) -> str:
    return scene.propose("Two", {"/a.md": "a\n", "/notes.txt": None})


@pytest.fixture
def page(proposal: str) -> str:
    return f"/proposals/{proposal}"


def _mark(reader: Reader, page: str, path: str = "", viewed: str = "yes") -> str:
    answer = reader.post(f"{page}/viewed", {"path": path, "viewed": viewed})
    assert answer.status_code == 303
    return str(answer["Location"])


def test_each_person_ticks_off_for_themselves(page: str, author: Reader, reviewer: Reader) -> None:
    assert "Viewed 0 of 2" in reviewer.text(page)
    assert _mark(reviewer, page, "/notes.txt") == f"{page}#file-2"
    _mark(reviewer, page, "/notes.txt")
    shown = reviewer.text(page)
    assert "Viewed 1 of 2" in shown
    assert shown.count('aria-pressed="true"') == 1
    assert "Viewed 0 of 2" in author.text(page)
    _mark(reviewer, page, "/notes.txt", viewed="no")
    assert "Viewed 0 of 2" in reviewer.text(page)


def test_all_at_once(page: str, reviewer: Reader) -> None:
    _mark(reviewer, page)
    shown = reviewer.text(page)
    assert "Viewed 2 of 2" in shown
    assert "Mark none" in shown
    _mark(reviewer, page, viewed="no")
    assert "Viewed 0 of 2" in reviewer.text(page)
    assert not Viewing.objects.exists()


def test_only_another_text_of_the_head_resets_it(
    scene: Scene, proposal: str, page: str, reviewer: Reader
) -> None:
    _mark(reviewer, page)
    scene.approve(scene.propose("Else", {"/else.md": "else\n"}))
    access = open_store(caller_for(scene.author), scene.store)
    new = repropose(access=access, proposal_id=proposal).proposal_id
    assert "Viewed 2 of 2" in reviewer.text(f"/proposals/{new}")
    other = scene.propose("Other", {"/a.md": "another\n", "/notes.txt": None})
    assert "Viewed 1 of 2" in reviewer.text(f"/proposals/{other}")


def test_htmx_gets_the_box_and_the_progress(page: str, reviewer: Reader) -> None:
    form = {"path": "/a.md", "viewed": "yes"}
    shown = reviewer.post(f"{page}/viewed", form, htmx=True).content.decode()
    assert shown.lstrip().startswith("<form")
    assert 'aria-pressed="true"' in shown
    assert "Viewed 1 of 2" in shown
    assert 'id="viewed-1" hx-swap-oob="true"' in shown


def test_readers_may_and_strangers_may_not(scene: Scene, page: str, reviewer: Reader) -> None:
    person = make_person(scene.workspace, "Rita Reader", username="rita")
    reader = Reader(person)
    assert reader.post(f"{page}/viewed", {"viewed": "yes"}).status_code == 404
    grant(person, scene.store, "read")
    _mark(reader, page)
    assert reviewer.post(f"{page}/viewed", {"path": "/nowhere.md"}).status_code == 400
    assert reviewer.post(f"{page}/viewed", {"path": "nowhere"}).status_code == 400


def test_drift_and_trial_have_no_boxes(
    scene: Scene,
    page: str,
    reviewer: Reader,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in range(5):
        scene.propose(f"Number {number}", {f"/{number}.md": "n\n"})
    with django_assert_max_num_queries(32):
        reviewer.text(page)
    assert "Viewed 0 of" not in reviewer.text(page, show="trial")
