"""Forks and whatever happens to their source meanwhile: nothing erased lives on (F1, X1, X2)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from django.db import transaction

from memory.access import StoreAccess, open_store
from memory.actions.deletion import delete_store
from memory.actions.forks import Fork, fork_store
from memory.actions.redactions import redact
from memory.actions.stores import Owner, StoreSettings
from memory.models import (
    DocumentBody,
    DocumentVersion,
    IdempotencyReceipt,
    MemoryStore,
    OwnerKind,
)
from tenancy.models import Principal
from tests.client import Answer
from tests.factories import caller_for, platform
from tests.interleaving import PATIENCE, await_row_waiter, in_thread, without_transaction
from tests.race import outcomes, race
from tests.stores import StoreClient, personal_store, put_operation

pytestmark = pytest.mark.django_db(transaction=True)


type Run = Callable[[Any], Any]
"""How an action is run: in a transaction that is open already, or in its own."""


@pytest.fixture
def source(workspace):
    store = personal_store(workspace)
    store.change(put_operation("/a.md", "a canary"), put_operation("/b.md", "b")).ok()
    return store


def _request(source: StoreClient) -> dict[str, Any]:
    owner = source.get().ok()["owner"]
    return {"source_version": source.canonical, "name": "A fork", "owner": owner}


def _redact(access: StoreAccess, run: Run) -> None:
    run(redact)(access=access, paths=["/a.md"])


def _delete(access: StoreAccess, run: Run) -> None:
    run(delete_store)(access=access)


def _as_it_is(action: Any) -> Any:
    return action


@pytest.mark.parametrize(
    ("event", "status", "error"),
    [(_redact, 409, "memory.conflict"), (_delete, 404, "memory.not_found")],
)
def test_F1_X1_X2_what_happens_to_the_source_first_wins(workspace, source, event, status, error):
    """The fork has copied all texts already when it comes to the source's row and waits."""
    access = open_store(platform(workspace), source.id)
    fork = partial(source.api.post, source.url("fork"), _request(source))

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            event(access, without_transaction)
            answer = pool.submit(in_thread, fork)
            await_row_waiter()
        refused = answer.result(PATIENCE)

    assert (refused.status, refused.error) == (status, error)
    assert MemoryStore.objects.count() == 1
    assert not DocumentVersion.objects.exclude(store=source.id).exists()
    assert not IdempotencyReceipt.objects.exclude(store=source.id).exists()


@pytest.mark.parametrize("event", [_redact, _delete])
def test_F1_what_comes_later_waits_until_the_fork_is_there(workspace, source, event):
    operator = open_store(platform(workspace), source.id)
    me = Principal.objects.get(id=source.get().ok()["owner"]["id"])
    settings = StoreSettings(name="A fork", owner=Owner(OwnerKind.PRINCIPAL, me.id))
    fork = Fork(source.canonical, settings)

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            access = open_store(caller_for(me), source.id)
            forked = without_transaction(fork_store)(access=access, fork=fork)
            erasing = pool.submit(in_thread, partial(event, operator, _as_it_is))
            await_row_waiter()
        erasing.result(PATIENCE)

    assert DocumentBody.objects.filter(document_version__store=forked.store_id).count() == 2


def test_F1_forks_of_one_store_do_not_wait_for_each_other_for_ever(source):
    requests = [partial(source.api.post, source.url("fork"), _request(source)) for _ in range(6)]

    answers = outcomes(race(*requests), Answer)

    assert [answer.status for answer in answers] == [201] * 6
    assert len({answer.body["store"] for answer in answers}) == 6


def test_F1_of_forks_with_one_key_one_is_made(source):
    request = partial(source.api.post, source.url("fork"), _request(source), key="once")

    answers = outcomes(race(request, request, request, request), Answer)

    assert [answer.status for answer in answers] == [201] * 4
    assert len({answer.body["store"] for answer in answers}) == 1
    assert sorted(answer.body["replayed"] for answer in answers) == [False, True, True, True]
    assert MemoryStore.objects.count() == 2


def test_F1_forks_and_writes_of_the_source_go_on_together(source):
    forks = [partial(source.api.post, source.url("fork"), _request(source)) for _ in range(3)]
    writes = [partial(source.put, f"/{number}.md", "x") for number in range(6)]

    answers = outcomes(race(*forks, *writes), Answer)

    assert {answer.status for answer in answers[:3]} == {201}
    assert {answer.status for answer in answers[3:]} <= {200, 201}
