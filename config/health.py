"""Probes: is this process alive, and may it be sent traffic?"""

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import DatabaseError, InterfaceError
from django.http import HttpRequest, JsonResponse
from psycopg_pool import PoolTimeout

from jobs.heartbeats import is_anybody_working


def healthz(_: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


def readyz(_: HttpRequest) -> JsonResponse:
    """The database answers and every migration has been applied.

    A silent worker is told and is no reason to send traffic elsewhere: this process reads and
    writes as before, and jobs wait in their rows.
    """
    try:
        checks = _checks()
    except (DatabaseError, InterfaceError, PoolTimeout):
        checks = {"database": "unreachable", "migrations": "unknown", "worker": "unknown"}
    ready = checks["database"] == checks["migrations"] == "ok"
    return JsonResponse(
        {"status": "ok" if ready else "unavailable", "checks": checks},
        status=200 if ready else 503,
    )


def _checks() -> dict[str, str]:
    if pending_migrations():
        return {"database": "ok", "migrations": "pending", "worker": "unknown"}
    worker = "ok" if is_anybody_working() else "silent"
    return {"database": "ok", "migrations": "ok", "worker": worker}


def pending_migrations() -> bool:
    """Whether the code expects a schema that the database does not have yet."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
