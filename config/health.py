"""Probes: is this process alive, and may it be sent traffic?"""

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import DatabaseError, InterfaceError
from django.http import HttpRequest, JsonResponse
from psycopg_pool import PoolTimeout


def healthz(_: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


def readyz(_: HttpRequest) -> JsonResponse:
    """The database answers and every migration has been applied."""
    checks = {"database": "ok", "migrations": "ok"}
    try:
        if pending_migrations():
            checks["migrations"] = "pending"
    except (DatabaseError, InterfaceError, PoolTimeout):
        checks = {"database": "unreachable", "migrations": "unknown"}
    ready = set(checks.values()) == {"ok"}
    return JsonResponse(
        {"status": "ok" if ready else "unavailable", "checks": checks},
        status=200 if ready else 503,
    )


def pending_migrations() -> bool:
    """Whether the code expects a schema that the database does not have yet."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
