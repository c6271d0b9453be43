"""Recorded actors as columns (contract M3)."""

from django.db.models import Q


def known_actor(prefix: str) -> Q:
    """The CHECK that the columns `prefix_kind`, `_uuid`, `_agent_uuid` and `_operation` agree."""
    return (
        _form(prefix, ["principal", "api_key", "curator"], uuid=True)
        | _form(prefix, ["session_agent"], uuid=True, agent_uuid=True)
        | _form(prefix, ["platform"], operation=True)
    )


def _form(
    prefix: str,
    kinds: list[str],
    *,
    uuid: bool = False,
    agent_uuid: bool = False,
    operation: bool = False,
) -> Q:
    return Q(
        (f"{prefix}_kind__in", kinds),
        (f"{prefix}_uuid__isnull", not uuid),
        (f"{prefix}_agent_uuid__isnull", not agent_uuid),
        (f"{prefix}_operation__isnull", not operation),
    )
