"""The embedded Valkey: any path, kept data, and every way in which it can be left behind."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from kombu.connection import Connection
from limits.storage import RedisStorage
from redis import Redis

from config.redis import broker_url, limits_url
from config.services.errors import ServiceError
from config.services.folders import MAX_SOCKET_BYTES
from config.services.programs import Place, start
from config.services.setup import check_valkey
from config.services.supervisor import Service, Supervisor
from config.services.valkey import Valkey
from tests.jobs.workers import wait_until


@contextmanager
def serving(valkey: Valkey, place: Place) -> Iterator[None]:
    supervisor = Supervisor(place, report=lambda sentence: None)
    try:
        supervisor.start(Service(valkey.program(), valkey.is_ready, valkey.prepare))
        yield
    finally:
        supervisor.stop()


def _speaks(valkey: Valkey) -> None:
    """Each of the libraries understands its spelling of the address."""
    url = valkey.url(3)
    check_valkey(url)
    with Redis.from_url(url) as client:
        client.set("kept", "42")
        assert client.connection_pool.connection_kwargs["db"] == 3
    with Connection(broker_url(url)) as broker:
        assert broker.default_channel.client.get("kept") == b"42"
    assert RedisStorage(limits_url(url)).check()


def test_each_library_reaches_it_in_a_path_with_spaces(place: Place):
    valkey = Valkey(place.folder / "valkey")

    with serving(valkey, place):
        assert valkey.socket.parent == valkey.data
        assert valkey.socket.stat().st_mode & 0o777 == 0o700
        assert valkey.data.stat().st_mode & 0o777 == 0o700
        _speaks(valkey)


def test_a_long_path_gets_a_short_socket_that_is_its_owners_alone(place: Place):
    valkey = Valkey(place.folder / ("d" * MAX_SOCKET_BYTES) / "valkey")

    with serving(valkey, place):
        folder = valkey.socket.parent
        assert folder != valkey.data
        assert folder.stat().st_mode & 0o777 == 0o700
        _speaks(valkey)
    folder.chmod(0o755)
    with pytest.raises(ServiceError, match="is not this user's alone"):
        valkey.prepare()
    folder.rmdir()


def test_a_killed_server_left_behind_is_ended_and_its_data_kept(place: Place):
    valkey = Valkey(place.folder / "valkey")
    valkey.prepare()
    left = start(valkey.program(), place)
    wait_until(valkey.is_ready)
    with Redis.from_url(valkey.url()) as client:
        client.set("kept", "42")
        client.execute_command("WAITAOF", 1, 0, 5000)

    with serving(valkey, place), Redis.from_url(valkey.url()) as client:
        assert left.process.wait() < 0
        assert client.get("kept") == b"42"
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}


def test_nobody_there_is_not_ready(place: Place):
    assert Valkey(place.folder / "valkey").is_ready() is False


@pytest.mark.parametrize(
    ("url", "kombu", "limits"),
    [
        ("redis://:pw@h:1/2", "redis://:pw@h:1/2", "redis://:pw@h:1/2"),
        ("rediss://h/0", "rediss://h/0", "rediss://h/0"),
        ("unix:///a%20b?db=2", "redis+socket:///a%20b?virtual_host=2", "redis+unix:///a%20b?db=2"),
        ("unix:///a", "redis+socket:///a?virtual_host=0", "redis+unix:///a"),
    ],
)
def test_one_address_as_each_library_spells_it(url: str, kombu: str, limits: str):
    assert (broker_url(url), limits_url(url)) == (kombu, limits)


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("amqp://a:secret@localhost", "must be redis://"),
        ("redis://:secret@127.0.0.1:1/0", "cannot be reached: ConnectionError"),
        ("redis://:secret@127.0.0.1:no/0", "Port could not be cast"),
        ("unix:///no/such.sock?db=0", "cannot be reached: ConnectionError"),
    ],
)
def test_an_address_that_cannot_be_used_is_told_without_its_password(url: str, sentence: str):
    with pytest.raises(ServiceError, match=sentence) as caught:
        check_valkey(url)
    assert "secret" not in str(caught.value)
