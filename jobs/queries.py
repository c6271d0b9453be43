"""Reads of jobs: who may know of which."""

from django.db.models import Q, QuerySet

from jobs.models import Job
from tenancy import authority
from tenancy.caller import Caller
from tenancy.models import Permission, TargetKind
from wire.errors import NotFound


def visible_jobs(caller: Caller) -> QuerySet[Job]:
    """The jobs of the Workspace that a caller may know of.

    All of them for an admin and for whoever reads the whole Workspace; else one's own, and those
    on stores that one may read.
    """
    jobs = Job.objects.filter(workspace=caller.workspace_id)
    if caller.is_admin or Permission.READ in authority.workspace_permissions(caller):
        return jobs
    mine = Q(created_by_kind=caller.kind, created_by_uuid=caller.id)
    if caller.acting_principal_id and caller.agent is None:
        mine |= Q(acting_principal_uuid=caller.acting_principal_id)
    readable = authority.readable(TargetKind.STORE, caller, "target_uuid")
    return jobs.filter(mine | (Q(target_kind=TargetKind.STORE) & readable))


def find_job(caller: Caller, job_id: str) -> Job:
    """One job. Raises NotFound when there is none that the caller may know of."""
    job = visible_jobs(caller).filter(id=job_id).first()
    if job is None:
        raise NotFound("There is no such job.")
    return job
