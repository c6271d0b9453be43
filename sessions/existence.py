"""This room's answer to "who exists" (contract M6)."""

from sessions.models import Session
from tenancy.registry import register_existence


def register() -> None:
    """Answer for Sessions, which own stores and refs, and which grants name."""
    register_existence("session", _session_exists)


def _session_exists(workspace_id: str, id: str) -> bool:
    """Whether there is one; one that is being erased owns nothing new and is granted nothing."""
    sessions = Session.objects.filter(workspace=workspace_id, id=id)
    return sessions.exclude(state__in=[Session.State.ERASING, Session.State.ERASED]).exists()
