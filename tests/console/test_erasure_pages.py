"""Retention, deleting a store, and what a job's page tells of an erasure."""

import re

from jobs.models import Job
from memory.models import ErasureSink, Lifecycle, MemoryStore, RetentionPolicy
from tests.console.conftest import Reader, Scene
from tests.work import run_to_the_end


def _policy() -> RetentionPolicy:
    return RetentionPolicy.objects.get()


def test_an_admin_says_how_long_texts_are_kept(scene: Scene, admin: Reader) -> None:
    page = admin.text("/retention")
    assert 'aria-current="page"' in page
    form = {"form": "days", "version": 1, "body_lifetime_days": 365}

    assert admin.post("/retention", form)["Location"] == "/retention"

    assert (_policy().body_lifetime_days, _policy().retire_superseded_after_days) == (365, None)
    late = admin.post("/retention", form)
    assert late.status_code == 409
    assert b"version is 2" in late.content
    assert admin.post("/retention", form | {"body_lifetime_days": 0}).status_code == 422
    assert admin.post("/retention", form | {"version": 2, "body_lifetime_days": ""})["Location"]
    assert _policy().body_lifetime_days is None


def test_keeping_nothing_takes_the_workspaces_name(
    scene: Scene, admin: Reader, author: Reader
) -> None:
    name = scene.workspace.name
    form = {"form": "none", "version": 1, "confirmation": "something else"}
    wrong = admin.post("/retention", form)
    assert wrong.status_code == 422
    assert b"This is not its name." in wrong.content
    assert not RetentionPolicy.objects.exists()

    assert admin.post("/retention", form | {"confirmation": name})["Location"] == "/retention"

    assert _policy().zero_data_retention
    page = admin.text("/retention")
    assert "Zero data retention is on" in page
    assert not Job.objects.exists()
    refused = author.post(
        f"{scene.path}/propose",
        {"title": "New", "path": "/new.md", "content": "new", "base_version": _base(author, scene)},
    )
    assert refused.status_code == 403
    assert b"zero data retention" in refused.content

    erase = form | {"confirmation": name, "version": 2}
    assert admin.post("/retention", erase).status_code == 422
    assert admin.post("/retention", erase | {"erase_existing": "on"})["Location"]
    assert Job.objects.get().kind == "retention.erase"
    assert f"/jobs/{Job.objects.get().id}" in admin.text("/retention")
    assert admin.post("/retention/keep", {"version": 3})["Location"] == "/retention"
    assert not _policy().zero_data_retention


def _base(reader: Reader, scene: Scene) -> str:
    found = re.search(r'name="base_version" value="(\w+)"', reader.text(f"{scene.path}/propose"))
    return found[1] if found else ""


def test_a_store_is_deleted_by_typing_its_name(scene: Scene, admin: Reader, author: Reader) -> None:
    url = f"{scene.path}/delete"
    assert f'href="{url}"' in admin.text(f"{scene.path}/settings")
    assert f'href="{url}"' not in author.text(f"{scene.path}/settings")
    assert author.post(url, {"confirmation": "team-memory"}).status_code == 403
    assert "This cannot be taken back" in admin.text(url)
    assert admin.post(url, {"confirmation": "Team-memory"}).status_code == 422
    assert MemoryStore.objects.get().lifecycle == Lifecycle.ACTIVE
    proposal = scene.propose("Later", {"/later.md": "later"})

    sent = admin.post(url, {"confirmation": "team-memory"})

    job = Job.objects.get(kind="store.delete")
    assert sent["Location"] == f"/jobs/{job.id}"
    for page in ("", "/history", "/proposals", "/refs", "/access", "/settings", "/delete"):
        assert admin.get(scene.path + page).status_code == 404
    for page in ("", "/state"):
        assert author.get(f"/proposals/{proposal}{page}").status_code == 404
    assert "team-memory" not in author.text("/stores") + admin.text("/stores")
    assert "Begin" not in author.text("/")
    run_to_the_end(job)
    assert "Done" in admin.text(f"/jobs/{job.id}")


def test_a_jobs_page_tells_the_state_of_each_sink(
    scene: Scene, admin: Reader, author: Reader
) -> None:
    admin.post(f"{scene.path}/delete", {"confirmation": "team-memory"})
    job = Job.objects.get()
    before = admin.text(f"/jobs/{job.id}")
    assert before.count("Pending") == 11
    run_to_the_end(job)

    page = admin.text(f"/jobs/{job.id}")

    assert page.count("looked at, nothing found") == 4
    assert page.count("the server cannot look there") == 7
    assert "<code>manage.py scrub_storage</code>" in page
    attested = admin.post(f"/jobs/{job.id}/attest", {"sink": "backups"})
    assert attested["Location"] == f"/jobs/{job.id}"
    assert ErasureSink.objects.get(sink="backups").state == "cleared"
    assert "attested by an operator" in admin.text(f"/jobs/{job.id}")
    assert admin.post(f"/jobs/{job.id}/attest", {"sink": "attic"}).status_code == 400
    assert author.post(f"/jobs/{job.id}/attest", {"sink": "wal"}).status_code == 403
