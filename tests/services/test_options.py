"""What the environment says, and the sentences about what it must not say."""

import os
import socket
from pathlib import Path

import pytest

from config.services import down, environment, setup, web
from config.services.environment import read_options
from config.services.errors import ServiceError
from config.services.programs import Place


def test_defaults():
    options = read_options({"PORT": "", "DATABASE_URL": ""})

    assert (options.bind, options.port) == ("127.0.0.1", 8000)
    assert options.database_url is None
    assert options.redis_url is None
    assert options.worker_concurrency == 2
    assert options.demo is True
    assert options.address == "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    ("bind", "address"),
    [
        ("0.0.0.0", "http://127.0.0.1:9000"),
        ("::1", "http://[::1]:9000"),
        ("10.1.2.3", "http://10.1.2.3:9000"),
    ],
)
def test_the_address_is_one_that_a_browser_can_open(bind: str, address: str):
    assert read_options({"BIND": bind, "PORT": "9000"}).address == address


@pytest.mark.parametrize("port", ["abc", "0", "65536", "-1", "80.0", "²"])
def test_a_port_that_is_none(port: str):
    with pytest.raises(ServiceError, match="PORT must be a whole number from 1 to 65535, not"):
        read_options({"PORT": port})


def test_the_demo_can_be_left_out():
    assert [read_options({"DEMO": word}).demo for word in ("off", "No", "0", "on")] == [
        False,
        False,
        False,
        True,
    ]


def test_no_pool_still_leaves_threads():
    assert read_options({"DATABASE_POOL_SIZE": "0"}).threads == environment.THREADS
    assert read_options({"DATABASE_POOL_SIZE": "20"}).threads == 20


def test_the_secret_is_made_once_and_kept_from_others(place: Place):
    path = place.folder / "secret-key"

    assert environment.secret_key(path) == environment.secret_key(path)
    assert len(environment.secret_key(path)) >= 50
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_is_set_stays(place: Place):
    given = {
        "SECRET_KEY": "mine",
        "DATABASE_URL": "postgres://elsewhere",
        "REDIS_URL": "redis://elsewhere/0",
        "SECURE_COOKIES": "on",
        "STATIC_ROOT": "/static",
        "ERROR_REFERENCE_URL": "https://example.com/errors",
        "CONSOLE_URL": "https://example.com",
    }

    assert environment.for_serving(given, place, "http://here") == given
    assert not (place.folder / "secret-key").exists()


def test_what_is_missing_is_completed(place: Place):
    completed = environment.for_serving({"SECRET_KEY": "", "HOME": "/h"}, place, "http://here")

    assert completed["DATABASE_URL"].startswith("postgres://postgres@/checkfu_memory?host=%2F")
    assert completed["REDIS_URL"].startswith("unix:///")
    assert completed["SECURE_COOKIES"] == "off"
    assert completed["CONSOLE_URL"] == "http://here"
    assert completed["ERROR_REFERENCE_URL"] == "http://here/errors"
    assert completed["STATIC_ROOT"] == str(place.folder / "static")
    assert len(completed["SECRET_KEY"]) >= 50
    assert completed["HOME"] == "/h"


def test_management_commands_adopt_only_what_was_started(place: Place, monkeypatch):
    monkeypatch.setattr(down, "STATE", place.folder)
    environ: dict[str, str] = {}

    environment.adopt_local_services(environ)
    assert environ == {}

    environment.secret_key(place.folder / "secret-key")
    environment.adopt_local_services(environ)
    assert set(environ) == {"SECRET_KEY", "DATABASE_URL", "REDIS_URL"}


@pytest.mark.parametrize(
    ("hosts", "host"),
    [("", "localhost"), ("*", "localhost"), (".example.com,b", "example.com"), ("a.b", "a.b")],
)
def test_readiness_is_asked_under_a_name_that_is_allowed(hosts: str, host: str):
    assert environment.accepted_host({"ALLOWED_HOSTS": hosts}) == host


def test_a_taken_port_is_told():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ServiceError, match=f"Port {port} is taken by another program"):
            web.check_port(read_options({"PORT": str(port)}))


def test_an_address_of_another_machine_is_told():
    with pytest.raises(ServiceError, match="cannot be listened on"):
        web.check_port(read_options({"BIND": "192.0.2.1", "PORT": "8000"}))


def test_nobody_there_is_not_ready():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert web.is_ready(read_options({"PORT": str(port)}), "localhost") is False


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("mysql://a:secret@localhost/b", "must be postgres://"),
        ("sqlite:///db", "must be postgres://"),
        ("postgres://a:secret@localhost:no/b", "cannot be reached"),
        ("postgres://a:secret@127.0.0.1:1/b", "cannot be reached: .*refused"),
        ("postgres://a:secret@nowhere.invalid/b", "cannot be reached"),
        ("postgres://a@/b?host=%2Fno%2Fsocket", "cannot be reached"),
        ("postgres://a@localhost/b?unheard=of", "cannot be reached: .*unheard"),
    ],
)
def test_a_database_that_cannot_be_used_is_told_without_its_password(url: str, sentence: str):
    with pytest.raises(ServiceError, match=sentence) as caught:
        setup.check_database(url)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_database_that_does_not_exist_is_told():
    url = os.environ["DATABASE_URL"].replace("/checkfu_memory?", "/no_such_database?")

    with pytest.raises(ServiceError, match='"no_such_database" does not exist'):
        setup.check_database(url)


def test_a_database_that_answers_is_accepted():
    setup.check_database(os.environ["DATABASE_URL"])


def test_the_mark_of_static_files_moves_with_a_file(tmp_path: Path, monkeypatch):
    for name in ("uv.lock", "config/settings.py", "static/a.css"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a")
    monkeypatch.setattr(down, "ROOT", tmp_path)
    before = setup._static_digest()

    assert setup._static_digest() == before
    (tmp_path / "static" / "b.css").write_text("b")
    assert setup._static_digest() != before
