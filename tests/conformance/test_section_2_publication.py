"""Contract R5: between acquiring content and sending it, all that matters is looked at again."""

from collections.abc import Callable
from datetime import timedelta
from time import sleep
from typing import Any, NamedTuple, cast

import pytest
from django.db import transaction
from django.urls import URLPattern

from memory import refs
from memory.access import open_store
from memory.actors import IMPORTER
from memory.api import urls
from memory.api.publishing import Published, publish
from memory.api.search import SearchView
from memory.models import BodyErasure, DocumentVersion, MemoryStore, MemoryVersion, VersionKind
from memory.publication import Acquired
from memory.refs import CANONICAL
from memory.stores import bump_generation
from memory.versions.sealing import Put, draft, seal
from tenancy.actions.keys import revoke_key
from tenancy.actions.permissions import revoke
from tenancy.actions.principals import PrincipalChanges, change_principal
from tenancy.actions.workspaces import disable_workspace
from tenancy.models import ApiKey, PermissionAssignment, Principal
from tests.client import Answer, Api
from tests.erasure import erase_bodies, erase_message
from tests.factories import caller_for, grant, make_admin_key, platform
from tests.interleaving import (
    STORES,
    answer_after,
    answer_when_stopped,
    end_waiters,
    without_transaction,
)
from tests.stores import StoreClient, as_person, put_operation, shared_store
from wire.times import now

pytestmark = pytest.mark.django_db(transaction=True)


class Scene(NamedTuple):
    """A reader of a store with two documents and two versions."""

    workspace: Any
    store: StoreClient
    first: str
    second: str

    def read(self, route: str) -> Answer:
        return ROUTES[route].ask(self)

    @property
    def body(self) -> str:
        """The document version that every route shows as available."""
        return DocumentVersion.objects.get(path="/a.md", introduced_by=self.second).id

    @property
    def key(self) -> ApiKey:
        return ApiKey.objects.exclude(principal=None).latest("id")


class Route(NamedTuple):
    """A way to content, the table that it reads it from, and what an erasure answers."""

    ask: Callable[[Scene], Answer]
    reading: str
    erased: int = 409


ROUTES = {
    "document": Route(lambda s: s.store.read("/a.md"), "memory_versiontree", 404),
    "exact document": Route(lambda s: s.store.read("/a.md", s.second), "memory_versiontree", 404),
    "documents": Route(lambda s: s.store.get("documents"), "memory_versiontree"),
    "versions": Route(lambda s: s.store.get("versions"), "memory_versionnote"),
    "version": Route(lambda s: s.store.get(f"versions/{s.second}"), "memory_versionnote"),
    "diff": Route(
        lambda s: s.store.get("diff", {"base": s.first, "head": s.second, "hunks": "true"}),
        "memory_versiontree",
    ),
    "history": Route(lambda s: s.store.get("history", {"path": "/a.md"}), "memory_versionchange"),
    "blame": Route(lambda s: s.store.get("blame", {"path": "/a.md"}), "memory_versionchange"),
    "search": Route(lambda s: _search(s.store, "two"), "memory_versiontree"),
    "reflog": Route(lambda s: s.store.get("reflog"), "memory_refmove"),
    "export": Route(lambda s: s.store.get("export"), "memory_versiontree"),
    "export page": Route(lambda s: s.store.get("export-pages"), "memory_versiontree"),
}


def _search(store: StoreClient, query: str) -> Answer:
    return store.api.post(store.url("search"), {"query": query}, key=None)


@pytest.fixture
def scene(workspace):
    author = shared_store(workspace, "read", "write")
    first = author.change(put_operation("/a.md", "one"), put_operation("/b.md", "b")).ok()
    second = author.change(put_operation("/a.md", "two", over="one"), message="words").ok()
    reader = as_person(workspace, author.id, "read")
    return Scene(workspace, reader, first["version"], second["version"])


def _revoke_key(scene):
    without_transaction(revoke_key)(caller=platform(scene.workspace), key_id=scene.key.id)


def _revoke_grant(scene):
    assignment = PermissionAssignment.objects.get(subject_uuid=scene.key.principal_id)
    without_transaction(revoke)(caller=platform(scene.workspace), assignment_id=assignment.id)


def _disable_workspace(scene):
    without_transaction(disable_workspace)(workspace_id=scene.workspace.id)


def _disable_principal(scene):
    without_transaction(change_principal)(
        caller=platform(scene.workspace),
        principal_id=scene.key.principal_id,
        changes=PrincipalChanges(state=Principal.State.DISABLED),
    )


def _delete_store(scene):
    MemoryStore.objects.filter(id=scene.store.id).update(lifecycle="deleting")


def _archive_store(scene):
    MemoryStore.objects.filter(id=scene.store.id).update(lifecycle="archived")


def _change_other_grants(scene):
    others = PermissionAssignment.objects.exclude(subject_uuid=scene.key.principal_id)
    revoked = others.earliest("id")
    without_transaction(revoke)(caller=platform(scene.workspace), assignment_id=revoked.id)


def _write(scene):
    """Canonical moves on."""
    at = MemoryVersion.objects.get(id=scene.second)
    version = seal(
        store_id=scene.store.id,
        draft=draft(at, {"/a.md": Put("three")}),
        kind=VersionKind.IMPORT,
        actor=IMPORTER,
    )
    refs.advance(
        store_id=scene.store.id, name=CANONICAL, expected=at.id, to=version.id, actor=IMPORTER
    )
    bump_generation(scene.store.id)


def _erase_another(scene):
    """A body that no route shows as available here."""
    version = seal(
        store_id=scene.store.id,
        draft=draft(MemoryVersion.objects.get(id=scene.second), {"/c.md": Put("c")}),
        kind=VersionKind.IMPORT,
        actor=IMPORTER,
    )
    erase_bodies(scene.store.id, [DocumentVersion.objects.get(introduced_by=version.id).id])


REFUSED: dict[str, tuple[Callable[[Scene], None], int, str]] = {
    "key revoked": (_revoke_key, 401, "auth.invalid_key"),
    "grant revoked": (_revoke_grant, 404, "memory.not_found"),
    "workspace disabled": (_disable_workspace, 403, "auth.disabled_tenancy"),
    "principal disabled": (_disable_principal, 403, "auth.disabled_tenancy"),
    "store deleted": (_delete_store, 404, "memory.not_found"),
}
HARMLESS = {
    "archived": _archive_store,
    "grants of others": _change_other_grants,
    "canonical moved": _write,
    "another body erased": _erase_another,
}


def _after(scene, route, meanwhile):
    return answer_after(
        lambda: scene.read(route), reading=ROUTES[route].reading, meanwhile=lambda: meanwhile(scene)
    )


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("event", REFUSED)
def test_R5_lost_authority_refuses_what_was_read_already(scene, route, event):
    meanwhile, status, type_ = REFUSED[event]

    answer = _after(scene, route, meanwhile)

    assert (answer.status, answer.error) == (status, type_)
    fresh = scene.read(route)
    assert (fresh.status, fresh.body) == (answer.status, answer.body)


@pytest.mark.parametrize("route", [route for route in ROUTES if route != "reflog"])
def test_R5_an_erasure_that_wins_refuses_what_was_read_already(scene, route):
    def erase(scene):
        erase_bodies(scene.store.id, [scene.body])
        erase_message(scene.store.id, scene.second)

    answer = _after(scene, route, erase)

    expected = {404: "memory.not_found", 409: "memory.conflict"}
    assert answer.status == ROUTES[route].erased
    assert answer.error == expected[answer.status]
    assert b"two" not in answer.content
    assert b"words" not in answer.content


@pytest.mark.parametrize("route", ["document", "documents", "diff", "export"])
@pytest.mark.parametrize("event", HARMLESS)
def test_R5_whatever_else_happens_refuses_nothing(scene, route, event):
    expected = scene.read(route).ok()

    assert _after(scene, route, HARMLESS[event]).ok() == expected


def test_R5_a_key_that_ends_by_itself_meanwhile_is_401(scene):
    """No epoch moves then: the caller knows its own end."""
    end = now() + timedelta(seconds=2)
    ApiKey.objects.filter(id=scene.key.id).update(expires_at=end)

    def wait(_):
        while now() < end:
            sleep(0.05)

    assert _after(scene, "document", wait).error == "auth.invalid_key"


def test_R5_an_admin_key_that_loses_its_grant_is_told_which(scene):
    key, secret = make_admin_key(scene.workspace)
    assignment = grant(key, scene.store.id, "read")
    admin = StoreClient(Api(secret), scene.store.id)

    answer = answer_after(
        lambda: admin.read("/a.md"),
        reading="memory_versiontree",
        meanwhile=lambda: without_transaction(revoke)(
            caller=platform(scene.workspace), assignment_id=assignment.id
        ),
    )

    assert (answer.status, answer.error) == (403, "policy.denied")
    assert "`read`" in answer.message


def test_R5_what_the_client_has_already_is_rechecked_too(scene):
    etag = scene.read("document").headers["ETag"]

    answer = answer_after(
        lambda: scene.store.read("/a.md", If_None_Match=etag),
        reading="memory_versiontree",
        meanwhile=lambda: _revoke_key(scene),
    )

    assert answer.status == 401


def test_R5_an_erasure_before_the_read_refuses_too(scene):
    def erase():
        with transaction.atomic():
            erase_bodies(scene.store.id, [scene.body])

    answer = answer_when_stopped(
        lambda: scene.read("document"), reading="memory_versiontree", meanwhile=erase
    )

    assert answer.status == 404
    assert "erased (redacted)" in answer.message


def test_R5_a_question_that_cannot_be_answered_is_503_and_may_be_retried(scene):
    answer = _after(scene, "document", lambda _: end_waiters(STORES))

    assert (answer.status, answer.error) == (503, "auth.authorization_unavailable")
    assert answer.headers["Retry-After"] == "1"
    scene.read("document").ok()


def test_R5_an_outage_while_reading_is_the_backends(scene):
    answer = answer_when_stopped(
        lambda: scene.read("document"),
        reading="memory_versiontree",
        meanwhile=lambda: end_waiters("memory_versiontree"),
    )

    assert (answer.status, answer.error) == (503, "memory.backend_unavailable")
    scene.read("document").ok()


def test_R5_an_older_version_bypasses_nothing(scene):
    old = DocumentVersion.objects.get(path="/a.md", introduced_by=scene.first)
    scene.store.read("/a.md", scene.first).ok()
    erase_bodies(scene.store.id, [old.id], BodyErasure.Reason.RETIRED)

    refused = scene.store.read("/a.md", scene.first)

    assert refused.status == 404
    assert "retired" in refused.message


# --- no door forgets it -------------------------------------------------------------------------

METADATA_ONLY = {
    "memoryStores.listMemoryStores",
    "memoryStores.getMemoryStore",
    "memoryStores.getMemoryReviewRules",
    "erasureReports.listErasureReports",
    "erasureReports.getErasureReport",
    "memoryStoreImports.getMemoryStoreImport",
    "retentionPolicy.getRetentionPolicy",
}
"""Reads that hold no content: settings of stores, counts, times."""

CONTENT = {
    "memoryStores.getMemoryDocument": "document",
    "memoryStores.listMemoryDocuments": "documents",
    "memoryStores.listMemoryVersions": "versions",
    "memoryStores.getMemoryVersion": "version",
    "memoryStores.diffMemoryVersions": "diff",
    "memoryStores.listMemoryPathHistory": "history",
    "memoryStores.blameMemoryDocument": "blame",
    "memoryStores.searchMemory": "search",
    "memoryStores.listMemoryRefs": "refs",
    "memoryStores.listMemoryTags": "tags",
    "memoryStores.listMemoryRefMovements": "reflog",
    "memoryStores.exportMemoryStore": "export",
    "memoryStores.exportMemoryStorePage": "export page",
}
ASKING = ROUTES | {
    "refs": Route(lambda s: s.store.get("refs"), ""),
    "tags": Route(lambda s: s.store.get("tags"), ""),
}


def _reads() -> dict[str, URLPattern]:
    """Every operation of this room that writes nothing, by its ID: the GETs, and the search."""
    views = {pattern: cast("Any", pattern.callback).view_class for pattern in urls.urlpatterns}
    gets = {
        view.get.operation.id: pattern for pattern, view in views.items() if hasattr(view, "get")
    }
    searches = {
        cast("Any", view).post.operation.id: pattern
        for pattern, view in views.items()
        if view is SearchView
    }
    return gets | searches


def test_R5_every_read_is_either_published_or_known_to_hold_no_content():
    assert set(_reads()) == METADATA_ONLY | set(CONTENT)


@pytest.mark.parametrize("operation", CONTENT)
def test_R5_every_content_view_publishes(scene, operation):
    answers = []
    sent = scene.store.api.http.generic

    def remember(*args, **kwargs):
        answers.append(sent(*args, **kwargs))
        return answers[-1]

    scene.store.api.http.generic = remember
    ASKING[CONTENT[operation]].ask(scene).ok()

    assert isinstance(answers[-1], Published)


def test_R5_nothing_is_sent_before_the_recheck_has_passed(scene, django_assert_num_queries):
    acquired = Acquired(open_store(caller_for(scene.key), scene.store.id), [scene.body], whole=True)
    with django_assert_num_queries(1):
        answer = publish(acquired, {"content": "two"})

    assert answer.content == b'{"content":"two"}'
