"""Forking a version from its page (contract F1)."""

from typing import Any

import pytest
from django.urls import reverse

from memory.models import DocumentVersion, MemoryStore, MemoryVersion, RetentionPolicy
from memory.queries.versions import canonical_id
from tests.console.conftest import Reader, Scene
from tests.erasure import erase_bodies
from wire.times import now


@pytest.fixture
def version(scene: Scene) -> str:
    return canonical_id(scene.store)


def _url(scene: Scene, version: str) -> str:
    return reverse("console:version-fork", args=[scene.store, version])


def _form(scene: Scene, **more: str) -> dict[str, str]:
    owner = f"principal:{scene.author.id}"
    return {"name": "My copy", "owner": owner, "description": "For trying out", **more}


def test_a_versions_page_leads_to_its_fork(scene: Scene, author: Reader, version: str) -> None:
    page = author.text(reverse("console:version", args=[scene.store, version]))

    assert _url(scene, version) in page
    form = author.text(_url(scene, version))
    assert "team-memory (fork)" in form
    assert "2 documents" in form


def test_a_fork_is_made_and_shown(scene: Scene, author: Reader, version: str) -> None:
    response = author.post(_url(scene, version), _form(scene))

    fork = MemoryStore.objects.get(name="My copy")
    assert (response.status_code, response["Location"]) == (
        303,
        reverse("console:store-documents", args=[fork.id]),
    )
    assert fork.description == "For trying out"
    first = MemoryVersion.objects.get(store=fork)
    assert first.tree_hash == MemoryVersion.objects.get(id=version).tree_hash
    assert "notes.txt" in author.text(response["Location"])


def test_a_reader_forks_for_themselves_only(scene: Scene, author: Reader, version: str) -> None:
    shared = _form(scene, owner=f"workspace:{scene.workspace.id}")

    assert author.post(_url(scene, version), shared).status_code == 403
    assert MemoryStore.objects.count() == 1


def test_an_erased_text_is_named_in_the_form(scene: Scene, author: Reader, version: str) -> None:
    document = DocumentVersion.objects.get(store=scene.store, path="/notes.txt")
    erase_bodies(scene.store, [document.id])

    page = author.text(_url(scene, version))
    assert "a fork needs all of them" in page
    assert "/notes.txt" in page
    response = author.post(_url(scene, version), _form(scene))

    assert response.status_code == 409
    assert "/notes.txt" in response.content.decode()
    assert "My copy" in response.content.decode()


def test_zero_data_retention_is_named(scene: Scene, author: Reader, version: str) -> None:
    RetentionPolicy.objects.create(
        workspace=scene.workspace, zero_data_retention=True, updated_at=now()
    )

    response = author.post(_url(scene, version), _form(scene))

    assert response.status_code == 403
    assert "zero data retention" in response.content.decode()


@pytest.mark.parametrize("wrong", [{"name": ""}, {"name": "a\nb"}, {"owner": "principal:x"}])
def test_what_is_wrong_stands_in_the_form(
    scene: Scene, author: Reader, version: str, wrong: dict[str, str]
) -> None:
    assert author.post(_url(scene, version), _form(scene, **wrong)).status_code == 422


def test_a_fork_takes_read(scene: Scene, admin: Reader, version: str) -> None:
    assert admin.get(_url(scene, version)).status_code == 403


def test_the_fence_closes_it(scene: Scene, author: Reader, version: str, settings: Any) -> None:
    settings.VERSIONED_SURFACE = False

    assert author.get(_url(scene, version)).status_code == 503
