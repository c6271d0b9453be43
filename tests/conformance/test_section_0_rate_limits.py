"""Contract §0: `budget.exceeded` 429 with `Retry-After`, after disabled 403, before the fence."""

import subprocess
import sys
import threading
from typing import Any

import pytest
from limits import parse_many
from limits.storage import MemoryStorage, RedisStorage

from tenancy.actions.workspaces import disable_workspace
from tests.client import Api, random_id
from tests.factories import make_key
from wire import ratelimits
from wire.errors import BudgetExceeded
from wire.ratelimits import RateLimiter

pytestmark = pytest.mark.django_db


@pytest.fixture
def limited(settings):
    settings.RATE_LIMITS = parse_many("3/minute")


@pytest.fixture
def api(workspace) -> Api:
    return Api(make_key(workspace)[1])


FIRST_REQUESTS = """
import threading, django
django.setup()
from wire import ratelimits
together, made = threading.Barrier(8), []
def first():
    together.wait()
    made.append(ratelimits.limiter())
threads = [threading.Thread(target=first) for _ in range(8)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
print(len(made))
"""


def test_the_first_requests_of_a_process_may_come_together():
    """In a process of its own: here everything is imported long since."""
    run = subprocess.run(
        [sys.executable, "-c", FIRST_REQUESTS], capture_output=True, text=True, check=True
    )

    assert run.stdout.strip() == "8", run.stderr


def _ask(api: Api) -> Any:
    return api.get("/v1/workspace")


def test_a_key_that_asks_too_often_is_told_when_to_come_back(api, limited):
    for _ in range(3):
        _ask(api).ok()

    refused = _ask(api)

    assert (refused.status, refused.error) == (429, "budget.exceeded")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert "3 per 1 minute" in refused.message


def test_one_keys_budget_is_not_anothers(api, workspace, limited):
    for _ in range(4):
        _ask(api)

    _ask(Api(make_key(workspace)[1])).ok()


def test_the_budget_comes_after_disabled_and_before_the_fence(api, workspace, limited, settings):
    settings.VERSIONED_SURFACE = False
    address = f"/v1/memory-stores/{random_id('store')}/versions"
    assert [api.get(address).status for _ in range(4)] == [503, 503, 503, 429]

    disable_workspace(workspace_id=workspace.id)
    assert api.get(address).error == "auth.disabled_tenancy"


def test_a_request_that_is_refused_earlier_costs_nothing(api, limited):
    for _ in range(5):
        assert api.get("/v1/workspace", Checkfu_Version="2020-01-01").status == 400

    _ask(api).ok()


def test_no_limits_is_a_setting(api, settings):
    settings.RATE_LIMITS = []

    for _ in range(5):
        _ask(api).ok()


def test_two_processes_count_together(limited, settings):
    processes = [
        RateLimiter(RedisStorage(settings.LIMITS_URL, wrap_exceptions=True)) for _ in range(2)
    ]
    credential = random_id("api_key")
    outcomes: list[bool] = []

    def ask(limiter: RateLimiter) -> None:
        for _ in range(4):
            try:
                limiter.spend(credential, settings.RATE_LIMITS)
            except BudgetExceeded:
                outcomes.append(False)
            else:
                outcomes.append(True)

    threads = [threading.Thread(target=ask, args=[limiter]) for limiter in processes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == [False] * 5 + [True] * 3


def test_without_valkey_each_process_counts_for_itself(api, limited, monkeypatch, caplog):
    broken = RedisStorage("redis+unix:///nowhere/valkey.sock", wrap_exceptions=True)
    limiter = RateLimiter(broken, MemoryStorage())
    monkeypatch.setattr(ratelimits, "limiter", lambda: limiter)

    assert [_ask(api).status for _ in range(4)] == [200, 200, 200, 429]
    told = [record for record in caplog.records if record.name == "wire.ratelimits"]
    assert [record.levelname for record in told] == ["ERROR"]  # once, not for each request


def test_valkey_is_asked_again_after_a_pause(limited, settings):
    limiter = RateLimiter(RedisStorage("redis+unix:///nowhere/v.sock", wrap_exceptions=True))
    credential = random_id("api_key")
    limiter.spend(credential, settings.RATE_LIMITS)
    limiter.shared = RedisStorage(settings.LIMITS_URL, wrap_exceptions=True)
    limiter.alone_until = 0.0

    for _ in range(3):
        limiter.spend(credential, settings.RATE_LIMITS)
    with pytest.raises(BudgetExceeded):
        limiter.spend(credential, settings.RATE_LIMITS)
