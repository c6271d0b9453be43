"""Restoring a version from its page: a form that opens a Proposal."""

import pytest
from django.test import Client
from django.urls import reverse

from proposals.models import Proposal
from tests.factories import grant, make_person
from tests.stores import put_operation, shared_store

pytestmark = pytest.mark.django_db


@pytest.fixture
def store(workspace):
    return shared_store(workspace)


def _browser(workspace, store, *permissions):
    person = make_person(workspace, username="writer")
    grant(person, store.id, *permissions)
    client = Client()
    assert person.user is not None
    client.force_login(person.user)
    return client


def test_a_version_is_restored_from_its_page(workspace, store):
    first = store.change(put_operation("/a.md", "one")).ok()["version"]
    store.put("/a.md", "two", over="one").ok()
    browser = _browser(workspace, store, "read", "write")
    page = browser.get(reverse("console:version", args=[store.id, first])).content.decode()
    assert "Restore as a Proposal" in page

    answer = browser.post(
        reverse("console:version-restore", args=[store.id, first]),
        {"title": "As it was", "description": "", "base_version": store.canonical},
    )

    proposal = Proposal.objects.get()
    assert answer.status_code == 303
    assert answer["Location"] == reverse("console:proposal", args=[proposal.id])
    assert (proposal.title, proposal.base_id) == ("As it was", store.canonical)


def test_a_restore_without_a_title_opens_nothing(workspace, store):
    first = store.change(put_operation("/a.md", "one")).ok()["version"]
    store.put("/a.md", "two", over="one").ok()
    browser = _browser(workspace, store, "read", "write")

    answer = browser.post(
        reverse("console:version-restore", args=[store.id, first]),
        {"title": "", "base_version": store.canonical},
    )

    assert answer["Location"] == reverse("console:version", args=[store.id, first])
    assert not Proposal.objects.exists()


def test_readers_are_not_offered_it(workspace, store):
    first = store.change(put_operation("/a.md", "one")).ok()["version"]
    store.put("/a.md", "two", over="one").ok()
    browser = _browser(workspace, store, "read")
    address = reverse("console:version-restore", args=[store.id, first])

    page = browser.get(reverse("console:version", args=[store.id, first])).content.decode()

    assert "Restore as a Proposal" not in page
    assert browser.post(address, {"title": "T", "base_version": store.canonical}).status_code == 403
