"""What the turns of a Session sealed."""

from collections.abc import Collection

from django.db.models import QuerySet

from sessions.models import Checkpoint


def checkpoints_of(session_id: str) -> QuerySet[Checkpoint]:
    """A Session's checkpoints in all stores, newest first."""
    return Checkpoint.objects.filter(session=session_id).order_by("-id")


def sessions_that_sealed(version_ids: Collection[str]) -> dict[str, str]:
    """The Sessions of those versions that a turn sealed. One query."""
    checkpoints = Checkpoint.objects.filter(version__in=list(version_ids))
    return dict(checkpoints.values_list("version", "session"))
