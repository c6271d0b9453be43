"""The retention policy of a Workspace, and who carries it out (contract X3)."""

from jobs.models import Job
from memory.erasure.zero_retention import ERASE
from memory.models import RetentionPolicy


def policy_of(workspace_id: str) -> RetentionPolicy:
    """The policy of a Workspace; as long as nobody made one, that which keeps all for ever."""
    found = RetentionPolicy.objects.filter(workspace=workspace_id).first()
    return found or RetentionPolicy(workspace_id=workspace_id)


def erasure_job(workspace_id: str) -> str | None:
    """The newest job that erases all bodies of a Workspace, if one was ever asked for."""
    jobs = Job.objects.filter(workspace=workspace_id, kind=ERASE).order_by("-id")
    return jobs.values_list("id", flat=True).first()
