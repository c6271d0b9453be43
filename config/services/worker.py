"""The worker: Celery with its beat, and the question whether it works."""

import sys
from collections.abc import Mapping

from config.services import web
from config.services.environment import Options
from config.services.programs import Program


def worker_program(options: Options, environment: Mapping[str, str]) -> Program:
    """The worker as a program for the supervisor.

    No pool of connections: each of its processes works on one job at a time.
    """
    command = [
        *(sys.executable, "-m", "celery", "--app", "config.celery", "--quiet", "worker", "--beat"),
        *("--concurrency", str(options.worker_concurrency), "--hostname", "worker@%h"),
        *("--without-gossip", "--without-mingle", "--loglevel", "INFO"),
    ]
    return Program("worker", command, {**environment, "DATABASE_POOL_SIZE": "0"})


def is_ready(options: Options, host: str) -> bool:
    """Whether the web server has had a sign of life of a worker."""
    checks = web.read_probe(options, host)
    return checks is not None and checks["worker"] == "ok"
