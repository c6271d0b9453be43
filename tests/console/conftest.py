"""A small Workspace with one reviewed store, and people who look at it through the Console."""

from dataclasses import dataclass
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client

from tenancy.models import Principal, Workspace
from tests.browser.serving import PLAIN_FILES
from tests.browser.world import decide, propose
from tests.factories import grant, make_person, make_store

TEXTS: dict[str, str | None] = {
    "/guides/releases.md": "# Releasing\n\nWe release on Tuesdays.\n",
    "/notes.txt": "one\ntwo\n",
}


class Reader:
    """Somebody's browser. `htmx=True` sends what htmx sends."""

    def __init__(self, person: Principal | None = None) -> None:
        self.client = Client(enforce_csrf_checks=False, raise_request_exception=False)
        if person:
            assert person.user is not None
            self.client.force_login(person.user)

    def get(self, path: str, /, *, htmx: bool = False, **query: Any) -> Any:
        return self.client.get(path, query, headers=_htmx(htmx))

    def post(self, path: str, data: dict[str, Any] | None = None, *, htmx: bool = False) -> Any:
        return self.client.post(path, data or {}, headers=_htmx(htmx))

    def text(self, path: str, /, *, answers: int = 200, **query: Any) -> str:
        """The page as text; fails the test when it answers another status."""
        response = self.get(path, **query)
        assert response.status_code == answers, (path, response.status_code)
        return str(response.content.decode())


def _htmx(wanted: bool) -> dict[str, str]:
    return {"HX-Request": "true"} if wanted else {}


@dataclass(frozen=True)
class Scene:
    """One Workspace: a store under review, its author, a reviewer, an admin without grants."""

    workspace: Workspace
    store: str
    author: Principal
    reviewer: Principal
    admin: Principal

    @property
    def path(self) -> str:
        return f"/stores/{self.store}"

    def propose(self, title: str, texts: dict[str, str | None], by: Principal | None = None) -> str:
        return propose(by or self.author, self.store, title, texts)

    def approve(self, proposal: str) -> None:
        decide(self.reviewer, self.store, proposal, "approve")


@pytest.fixture(autouse=True)
def _plain(settings: LazySettings) -> None:
    """Static files by their plain names, and passwords that cost nothing."""
    settings.STORAGES = PLAIN_FILES
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def scene(workspace: Workspace) -> Scene:
    author = make_person(workspace, "Ada Author", username="ada")
    reviewer = make_person(workspace, "Robin Reviewer", username="robin")
    admin = make_person(workspace, "Kim Admin", username="kim", is_admin=True)
    store = make_store(workspace, "team-memory")
    grant(author, store, "read", "write")
    grant(reviewer, store, "read", "write", "review")
    made = Scene(workspace, store, author, reviewer, admin)
    made.approve(made.propose("Begin", TEXTS))
    return made


@pytest.fixture
def author(scene: Scene) -> Reader:
    return Reader(scene.author)


@pytest.fixture
def reviewer(scene: Scene) -> Reader:
    return Reader(scene.reviewer)


@pytest.fixture
def admin(scene: Scene) -> Reader:
    return Reader(scene.admin)


@pytest.fixture
def visitor(db: None) -> Reader:
    return Reader()
