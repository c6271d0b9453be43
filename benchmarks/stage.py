"""Where it happens: a durable PostgreSQL on a Unix socket, and the production server on it."""

import os
import secrets
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import django
from django.core.management import call_command

from config.services import web
from config.services.environment import Options
from config.services.programs import Place
from config.services.supervisor import Service, Supervisor
from tests.cluster import temporary_cluster, temporary_valkey

HOST = "127.0.0.1"
THREADS = 8
WRITERS = 16


@contextmanager
def set_stage() -> Iterator[int]:
    """Start both, set Django up on them here as well, and yield the server's port."""
    with (
        temporary_cluster(durable=True) as cluster,
        temporary_valkey() as valkey,
        tempfile.TemporaryDirectory() as folder,
    ):
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "benchmarks.settings",
            "DATABASE_URL": cluster.url(),
            "DATABASE_POOL_SIZE": str(WRITERS + 1),
            "REDIS_URL": valkey.url(),
            "RATE_LIMIT": "1000000/second",  # counted, and never reached
            "SECRET_KEY": secrets.token_urlsafe(64),
            "SECURE_COOKIES": "off",
            "STATIC_ROOT": folder,
        }
        django.setup()
        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        with _server(Place(Path(folder))) as port:
            yield port


@contextmanager
def _server(place: Place) -> Iterator[int]:
    place.make()
    options = Options(
        bind=HOST,
        port=_free_port(),
        workers=1,
        threads=THREADS,
        worker_concurrency=1,
        demo=False,
        database_url=None,
        redis_url=None,
    )
    supervisor = Supervisor(place, report=print)
    try:
        is_ready = partial(web.is_ready, options, "localhost")
        supervisor.start(Service(web.web_program(options, os.environ), is_ready))
        yield options.port
    finally:
        supervisor.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
