"""What the turns of a Session sealed."""

from django.db.models import QuerySet

from sessions.models import Checkpoint


def checkpoints_of(session_id: str) -> QuerySet[Checkpoint]:
    """A Session's checkpoints in all stores, newest first."""
    return Checkpoint.objects.filter(session=session_id).order_by("-id")
