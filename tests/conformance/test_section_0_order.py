"""Contract §0 "Order of checks": a request wrong in two ways gets the earlier error.

Each check has a way to break it; every pair is broken together on one route that has them all.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import pytest
from limits import parse_many

from memory.models import MemoryStore
from tenancy.actions.workspaces import disable_workspace
from tenancy.models import PermissionAssignment
from tests.client import random_id
from tests.stores import put_operation, shared_store

pytestmark = pytest.mark.django_db


@dataclass
class Sent:
    """A change set that would succeed, before its parts are broken."""

    store: Any
    settings: Any
    address: str
    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)
    key: str = ""


def _no_key(sent):
    sent.headers["Authorization"] = "Bearer ck_nobodys"


def _no_date(sent):
    sent.headers["Checkfu-Version"] = "2020-01-01"


def _disabled(sent):
    disable_workspace(workspace_id=MemoryStore.objects.get().workspace_id)


def _too_often(sent):
    sent.settings.RATE_LIMITS = parse_many("0/minute")


def _fenced(sent):
    sent.settings.VERSIONED_SURFACE = False


def _no_store(sent):
    sent.address = sent.address.replace(sent.store.id, random_id("store"))


def _malformed(sent):
    sent.body["operations"][0]["path"] = "a.md"


def _no_grant(sent):
    PermissionAssignment.objects.update(permissions=["read"])


def _archived(sent):
    MemoryStore.objects.update(lifecycle="archived")


def _precondition(sent):
    sent.body["operations"][0]["expected_sha256"] = "sha256:" + "0" * 64


CHECKS: dict[str, tuple[Callable[[Sent], None], int, str]] = {
    "key": (_no_key, 401, "auth.invalid_key"),
    "date": (_no_date, 400, "validation.malformed"),
    "disabled": (_disabled, 403, "auth.disabled_tenancy"),
    "budget": (_too_often, 429, "budget.exceeded"),
    "fence": (_fenced, 503, "memory.backend_unavailable"),
    "fetch": (_no_store, 404, "memory.not_found"),
    "syntax": (_malformed, 400, "validation.malformed"),
    "grant": (_no_grant, 403, "policy.denied"),
    "lifecycle": (_archived, 403, "memory.read_only"),
    "precondition": (_precondition, 409, "memory.conflict"),
}
NAMED = {"date": "Checkfu-Version", "syntax": "path"}
"""Two checks answer alike; the message tells which it was."""


@pytest.fixture
def sent(workspace, settings):
    store = shared_store(workspace, "read", "write")
    body = {
        "ref": {"kind": "canonical"},
        "base_version": store.canonical,
        "operations": [put_operation("/a.md", "text")],
    }
    return Sent(store, settings, store.url("change-sets"), body)


def _send(sent):
    return sent.store.api.post(sent.address, sent.body, key=sent.key, **sent.headers)


def _expect(answer, check):
    _, status, type_ = CHECKS[check]
    assert (answer.status, answer.error) == (status, type_), answer.message
    assert NAMED.get(check, "") in answer.message


def test_nothing_broken_succeeds(sent):
    _send(sent).ok()


@pytest.mark.parametrize("check", CHECKS)
def test_each_check_alone(sent, check):
    CHECKS[check][0](sent)

    _expect(_send(sent), check)


@pytest.mark.parametrize(("earlier", "later"), list(combinations(CHECKS, 2)))
def test_the_earlier_of_two_errors_is_told(sent, earlier, later):
    for check in (later, earlier):
        CHECKS[check][0](sent)

    _expect(_send(sent), earlier)


def test_the_stores_own_rule_comes_with_the_grants(workspace):
    store = shared_store(workspace, "read", "write", writes="review")
    MemoryStore.objects.update(lifecycle="archived")

    assert "approved Proposals" in store.put("/a.md", "text").message


def test_a_replay_comes_after_the_lifecycle_and_before_preconditions(sent):
    sent.key = "k"
    first = _send(sent).ok()

    assert _send(sent).ok() == first | {"replayed": True}  # its base is outdated by now
    _archived(sent)
    _expect(_send(sent), "lifecycle")


def test_an_outdated_key_comes_before_preconditions(sent):
    sent.key = "k"
    _send(sent).ok()
    _precondition(sent)

    assert "Idempotency-Key" in _send(sent).message
