"""/v1/jobs, verifications, and the Console's pages of jobs."""

import pytest
from django.test import Client

from jobs.models import Job
from memory.models import DocumentBody
from tenancy.models import AuditEntry
from tests.client import Api, random_id
from tests.factories import (
    PASSWORD,
    grant,
    make_admin_key,
    make_key,
    make_person,
    make_workspace,
)
from tests.stores import shared_store
from tests.work import run_to_the_end

pytestmark = pytest.mark.django_db


@pytest.fixture
def store(workspace):
    store = shared_store(workspace, "read", "write", "admin")
    store.put("/a.md", "text").ok()
    return store


def _verify(store, api: Api | None = None):
    return (api or store.api).post(store.url("verifications"), key=None)


def test_a_verification_from_beginning_to_end(store):
    asked = _verify(store).ok(202)
    assert (asked["kind"], asked["state"]) == ("store.verify", "queued")
    assert asked["target"] == {"kind": "store", "id": store.id}
    assert asked["progress"] == {"done": 0, "total": None}
    assert _verify(store).ok(202)["id"] == asked["id"]

    run_to_the_end(Job.objects.get(id=asked["id"]))

    ended = store.api.get(f"/v1/jobs/{asked['id']}").ok()
    assert ended["state"] == "succeeded"
    assert ended["progress"] == {"done": 5, "total": 5}
    assert ended["result"]["differences"] == 0
    assert ended["finished_at"] >= ended["started_at"] >= ended["created_at"]
    entry = AuditEntry.objects.get(event="job.enqueued")
    assert (entry.target_id, entry.detail["target"]) == (asked["id"], store.id)


def test_who_may_have_a_store_verified(store, workspace, admin_api):
    reader = make_person(workspace)
    grant(reader, store.id, "read")
    stranger = Api(make_key(workspace, principal=make_person(workspace))[1])

    assert _verify(store, Api(make_key(workspace, principal=reader)[1])).error == "policy.denied"
    assert _verify(store, stranger).error == "memory.not_found"
    _verify(store, admin_api).ok(202)


def test_who_may_see_a_job(store, workspace, admin_api):
    job = _verify(store).ok(202)["id"]
    reader = make_person(workspace)
    grant(reader, store.id, "read")
    reading = Api(make_key(workspace, principal=reader)[1])
    stranger = Api(make_key(workspace, principal=make_person(workspace))[1])
    foreign = Api(make_admin_key(make_workspace())[1])

    for api in (store.api, admin_api, reading):
        assert [row["id"] for row in api.pages("/v1/jobs")] == [job]
        api.get(f"/v1/jobs/{job}").ok()
    for api in (stranger, foreign):
        assert api.pages("/v1/jobs") == []
        assert api.get(f"/v1/jobs/{job}").body == api.get(f"/v1/jobs/{random_id('job')}").body


def test_jobs_are_filtered_and_paged(store, admin_api):
    ids = []
    for _ in range(3):
        ids.append(_verify(store).ok(202)["id"])
        run_to_the_end(Job.objects.get(id=ids[-1]))
    newest = sorted(ids, reverse=True)

    assert [row["id"] for row in admin_api.pages("/v1/jobs", {"limit": 1})] == newest
    for query, count in [
        ({"state": "succeeded"}, 3),
        ({"state": "failed"}, 0),
        ({"kind": "store.verify"}, 3),
        ({"kind": "store.other"}, 0),
        ({"target": store.id}, 3),
        ({"target": random_id("store")}, 0),
    ]:
        assert len(admin_api.get("/v1/jobs", query).ok()["data"]) == count
    assert admin_api.get("/v1/jobs", {"state": "nice"}).status == 400


def test_the_installations_own_jobs_are_nobodys(admin_api):
    Job.objects.create(kind="sign_ins.clear_expired")

    assert admin_api.pages("/v1/jobs") == []


def test_a_verification_is_fenced_and_jobs_are_not(store, settings):
    settings.VERSIONED_SURFACE = False

    assert _verify(store).status == 503
    assert store.api.get("/v1/jobs").status == 200


@pytest.fixture
def admin(workspace, settings):
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
    make_person(workspace, "Kim", username="kim", is_admin=True)
    browser = Client()
    assert browser.login(username="kim", password=PASSWORD)
    return browser


def test_an_admin_verifies_a_store_in_the_console(store, admin):
    DocumentBody.objects.update(text="forged")
    assert b"Verify" in admin.get(f"/stores/{store.id}/settings").content
    sent = admin.post(f"/stores/{store.id}/verify")
    job = Job.objects.get()
    assert sent.headers["Location"] == f"/jobs/{job.id}"

    waiting = admin.get(f"/jobs/{job.id}").content.decode()
    assert 'hx-trigger="every 2s"' in waiting
    assert "Queued" in waiting
    assert 'hx-trigger="every 2s"' in admin.get("/jobs").content.decode()

    run_to_the_end(job)
    ended = admin.get(f"/jobs/{job.id}", headers={"HX-Request": "true"}).content.decode()
    assert ended.lstrip().startswith('<div id="job"')
    assert "hx-trigger" not in ended
    assert "body_content" in ended
    assert "hx-trigger" not in admin.get("/jobs").content.decode()


def test_a_job_that_is_half_done_shows_a_bar(store, admin):
    _verify(store)
    Job.objects.update(
        state="running", lease_owner="a", lease_until="2100-01-01T00:00Z", done=3, total=10
    )

    page = admin.get("/jobs").content.decode()

    assert '<progress class="progress" max="10" value="3"' in page
    assert "3 of 10" in page
