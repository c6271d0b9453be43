"""Tenancy's own answers to "who exists"."""

from collections.abc import Callable
from typing import Any

from django.db import models

from tenancy.models import Agent, ApiKey, CollaborationSpace, Environment, Principal
from tenancy.registry import register_existence


def register() -> None:
    """Answer for the kinds of thing that this room owns."""
    register_existence("workspace", _is_itself)
    register_existence("principal", _among(Principal.objects))
    register_existence("agent", _among(Agent.objects))
    register_existence("agent_definition", _among(Agent.objects))
    register_existence("api_key", _among(ApiKey.objects))
    register_existence("environment", _among(Environment.objects))
    register_existence("collaboration_space", _among(CollaborationSpace.objects))


def _is_itself(workspace_id: str, id: str) -> bool:
    return workspace_id == id


def _among(rows: models.Manager[Any]) -> Callable[[str, str], bool]:
    def exists_in(workspace_id: str, id: str) -> bool:
        return rows.filter(workspace=workspace_id, id=id).exists()

    return exists_in
