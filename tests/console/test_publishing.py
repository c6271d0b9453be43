"""Contract R5 for pages: what was read is not released when its authority went meanwhile."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from console import responses
from console.urls import urlpatterns
from memory.models import MemoryVersion
from memory.queries.versions import canonical_id
from tenancy.actions.permissions import revoke
from tenancy.actions.principals import PrincipalChanges, change_principal
from tenancy.models import PermissionAssignment, Principal
from tests.console.conftest import Reader, Scene
from tests.console.crew import make_crew
from tests.factories import grant, platform


@pytest.fixture
def pages(scene: Scene) -> dict[str, str]:
    """Every page that shows what is in a store: route name → address."""
    proposal = scene.propose("Later", {"/notes.txt": "one\nthree\n"})
    contested = scene.propose("Ours", {"/guides/releases.md": "ours\n"})
    scene.approve(scene.propose("Theirs", {"/guides/releases.md": "theirs\n"}))
    head = canonical_id(scene.store)
    first = MemoryVersion.objects.filter(store=scene.store).earliest("id").id
    both = f"?base={first}&head={head}"
    store = [scene.store]
    crew = make_crew(scene)
    session = crew.start(crew.mount(head))
    return {
        "queue": "/",
        "queue-decide": f"/decide?proposal={proposal}",
        "notices": "/notices",
        "find": "/find?q=later",
        "store-documents": scene.path,
        "store-search": reverse("console:store-search", args=store) + "?words=two",
        "store-history": reverse("console:store-history", args=store),
        "store-proposals": reverse("console:store-proposals", args=store),
        "store-rule-matches": reverse("console:store-rule-matches", args=store) + "?paths=/**",
        "store-export": reverse("console:store-export", args=store),
        "store-refs": reverse("console:store-refs", args=store),
        "store-propose": reverse("console:store-propose", args=store) + "?path=/notes.txt",
        "document": reverse("console:document", args=store) + "?path=/notes.txt",
        "version": reverse("console:version", args=[scene.store, head]),
        "version-fork": reverse("console:version-fork", args=[scene.store, head]),
        "session-new": reverse("console:session-new") + f"?store={scene.store}&pick=yes",
        "session": reverse("console:session", args=[session]),
        "session-events": reverse("console:session-events", args=[session]),
        "session-connect": reverse("console:session-connect", args=[session]),
        "session-mount": reverse("console:session-mount", args=[session, 1]),
        "compare": reverse("console:compare", args=store) + both,
        "compare-file": reverse("console:compare-file", args=store)
        + f"{both}&path=/guides/releases.md",
        "proposal-pick": reverse("console:proposal-pick", args=[proposal]),
        "proposal-merge": reverse("console:proposal-merge", args=[contested]),
        "proposal": reverse("console:proposal", args=[proposal]),
        "proposal-state": reverse("console:proposal-state", args=[proposal]),
    }


NO_CONTENT = {
    *("sign-in", "sign-out", "password", "workspace", "theme", "reference", "reference-schema"),
    *("errors", "access", "access-revoke", "principals", "principals-new-person"),
    *("principals-new-service", "principals-one", "agents", "agents-new", "agents-one"),
    *("agents-archive", "keys", "keys-new", "keys-revoke", "audit", "stores", "store-new"),
    *("store-access", "store-settings", "store-lifecycle", "store-verify", "jobs", "jobs-one"),
    *("retention", "retention-keep", "store-delete", "jobs-attest", "store-erase"),
    *("proposal-comments", "proposal-comment", "proposal-viewed", "proposal-withdraw"),
    *("proposal-respond", "proposal-repropose", "version-restore", "version-fork"),
    *("sessions", "session-key-revoke", "session-archive", "session-pin", "session-release"),
    "session-erase",
    *("queue-save-view", "queue-change-view", "notices-open", "notices-read"),
    *("notices-preferences", "notices-ask", "notices-confirm", "notices-unsubscribe"),
    *("environments", "environments-new", "environments-one", "environments-archive"),
    *("spaces", "spaces-new", "spaces-one", "spaces-remove"),
    *("access-explained", "capabilities", "tag-add", "tag-remove"),
}
"""Pages about people, settings, jobs and the API; and forms that lead to a page of content.

What the erasure wizard tells is for admins, and held to publication by its own tests.
"""

OVERVIEWS = {"queue", "find", "notices"}
"""Pages of all stores, which are drawn anew without what was lost."""

FILES = {"store-export-whole", "store-export-pages", "session-mount-archive"}
"""Downloads, which test_exports.py and the tests of contract S3 look at."""


def test_every_page_is_either_published_or_known_to_hold_no_content(pages: dict[str, str]) -> None:
    assert set(pages) | NO_CONTENT | FILES == {str(pattern.name) for pattern in urlpatterns}


def test_a_grant_lost_while_a_page_is_drawn_is_lost(
    scene: Scene, author: Reader, pages: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = PermissionAssignment.objects.get(subject_uuid=scene.author.id, target_uuid=scene.store)
    for name, address in pages.items():
        assert author.get(address).status_code == 200, name
        with monkeypatch.context() as patched:
            patched.setattr(
                responses, "render_to_string", _once_drawn(partial(_revoke, scene, mine))
            )
            answer = author.get(address)
        if name in OVERVIEWS:
            assert (answer.status_code, b"Later" in answer.content) == (200, False)
        else:
            assert answer.status_code == 404, name
        mine = grant(scene.author, scene.store, "read", "write")


def test_a_sign_in_that_ends_while_the_queue_is_drawn_has_ended(
    scene: Scene, author: Reader, pages: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    disable = PrincipalChanges(state=Principal.State.DISABLED)
    monkeypatch.setattr(
        responses,
        "render_to_string",
        _once_drawn(
            lambda: change_principal(
                caller=platform(scene.workspace), principal_id=scene.author.id, changes=disable
            )
        ),
    )
    assert author.get(pages["queue"]).status_code == 403


def _revoke(scene: Scene, assignment: PermissionAssignment) -> None:
    revoke(caller=platform(scene.workspace), assignment_id=assignment.id)


def _once_drawn(act: Callable[[], Any]) -> Callable[..., Any]:
    """Django's `render_to_string`, with something that happens when the first page was drawn."""
    happening = iter([act])

    def draw(*args: Any, **options: Any) -> Any:
        html = render_to_string(*args, **options)
        next(happening, lambda: None)()
        return html

    return draw
