"""Contract S7 in the Console: what an admin is told before a Session is erased, and after."""

import pytest
from django.urls import reverse

from sessions.access import open_session
from sessions.actions.erasure import erase_session
from sessions.models import Session
from tests.agents import SESSIONS
from tests.client import Api
from tests.console.conftest import Reader, Scene
from tests.console.crew import make_crew
from tests.factories import make_key, platform
from tests.stores import put_operation
from tests.work import work_on_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def session(scene: Scene) -> str:
    crew = make_crew(scene)
    return crew.start(crew.mount())


def _page(session: str) -> str:
    return reverse("console:session-erase", args=[session])


def _agents_proposal(scene: Scene, session: str) -> str:
    """An open Proposal of the Session's agent."""
    person = Api(make_key(scene.workspace, principal=scene.author)[1])
    secret = person.post(f"{SESSIONS}/{session}/keys", {"name": "Worker"}).ok(201)["secret"]
    body = {"title": "Learned", "operations": [put_operation("/learned.md", "learned")]}
    made = Api(secret).post(f"/v1/memory-stores/{scene.store}/proposals", body).ok(201)
    return str(made["id"])


def test_S7_it_is_asked_for_by_typing_the_agents_name(admin: Reader, session: str) -> None:
    assert "Erase for ever" in admin.text(_page(session))

    wrong = admin.post(_page(session), {"confirmation": "Somebody"})
    assert wrong.status_code == 422
    assert Session.objects.get(id=session).state == "active"
    admin.post(_page(session), {"confirmation": "Librarian"})
    assert Session.objects.get(id=session).state == "erasing"


def test_S7_only_admins_see_the_page(author: Reader, session: str) -> None:
    assert author.get(_page(session)).status_code == 403
    assert "Erase…" not in author.text(reverse("console:session", args=[session]))


def test_S7_what_it_waits_for_is_told_with_what_helps(
    scene: Scene, admin: Reader, session: str
) -> None:
    proposal = _agents_proposal(scene, session)
    erase_session(access=open_session(platform(scene.workspace), session))
    work_on_all()

    page = admin.text(_page(session))

    assert "An open Proposal of the agent" in page
    assert reverse("console:proposal", args=[proposal]) in page
    assert "Look again now" in page
    admin.post(_page(session), {})
    assert Session.objects.get(id=session).state == "erasing"


def test_S7_in_the_end_it_shows_the_report(
    scene: Scene, admin: Reader, author: Reader, session: str
) -> None:
    erase_session(access=open_session(platform(scene.workspace), session))
    work_on_all()

    page = admin.text(_page(session))

    assert "Where erased text may still be" in page
    assert "Look again now" not in page
    assert "Session erased" in author.text(reverse("console:session-events", args=[session]))
