"""What every test may ask for."""

from collections.abc import Iterator

import pytest
from django.test import override_settings
from hypothesis import HealthCheck, settings

from tenancy.models import Workspace
from tests.client import Api
from tests.clock import Clock, stop_clock
from tests.factories import make_admin_key, make_key, make_person, make_workspace

settings.register_profile(
    "fast",
    deadline=None,  # the machine that runs the tests is shared
    max_examples=60,
    print_blob=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("fast")


@pytest.fixture(scope="session", autouse=True)
def quick_passwords() -> Iterator[None]:
    """Hash passwords in no time; how slow the real hash is is Django's business."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture
def workspace(db: None) -> Workspace:
    """A Workspace with nobody in it."""
    return make_workspace()


@pytest.fixture
def admin_api(workspace: Workspace) -> Api:
    """A client with an admin key, which holds no grant on any content."""
    return Api(make_admin_key(workspace)[1])


@pytest.fixture
def standard_api(workspace: Workspace) -> Api:
    """A client with a standard key bound to a person who holds no grant."""
    return Api(make_key(workspace, principal=make_person(workspace))[1])


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The service's clock, standing at the present. The database keeps its own."""
    return stop_clock(monkeypatch)
