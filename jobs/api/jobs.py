"""/v1/jobs: slow work, how far it is and how it ended."""

from typing import Annotated, Any, Literal, TypedDict

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.models import Job
from jobs.queries import find_job, visible_jobs
from tenancy.api.base import ApiView, caller_of
from wire.errors import NotFound
from wire.fields import IdOf
from wire.ids import PREFIXES
from wire.operations import Listing, operation
from wire.paging import PagedQuery, list_body, newest_first
from wire.parsing import parse_nothing, parse_path_id, parse_query
from wire.times import render_time

StateName = Literal["queued", "running", "succeeded", "failed"]


class JobsQuery(PagedQuery):
    """Which jobs to list."""

    kind: Annotated[str, Field(pattern=r"^[a-z_]+\.[a-z_]+$", max_length=100)] | None = None
    """Only this kind of job, as `store.verify`."""
    state: StateName | None = None
    """Only those in this state."""
    target: Annotated[str, IdOf(*PREFIXES)] | None = None
    """Only those about this."""


class JobTargetOut(TypedDict):
    """What a job is about."""

    kind: str
    id: str


class JobCreatorOut(TypedDict):
    """The credential that asked for a job; the platform has no ID."""

    kind: str
    id: str | None


class JobProgressOut(TypedDict):
    """How much is done; the total is null while nobody knows it."""

    done: int
    total: int | None


class JobOut(TypedDict):
    """One piece of slow work."""

    id: str
    workspace: str
    kind: str
    target: JobTargetOut | None
    state: StateName
    progress: JobProgressOut
    result: dict[str, Any]
    error: str | None
    created_by: JobCreatorOut
    created_at: str
    started_at: str | None
    finished_at: str | None


def render_job(job: Any) -> JobOut:
    """A job of a Workspace."""
    return {
        "id": job.id,
        "workspace": job.workspace_id,
        "kind": job.kind,
        "target": {"kind": job.target_kind, "id": job.target_id} if job.target_kind else None,
        "state": job.state,
        "progress": {"done": job.done, "total": job.total},
        "result": job.result,
        "error": job.error,
        "created_by": {"kind": job.created_by_kind, "id": job.created_by_id},
        "created_at": render_time(job.created_at),
        "started_at": render_time(job.started_at) if job.started_at else None,
        "finished_at": render_time(job.finished_at) if job.finished_at else None,
    }


class JobsView(ApiView):
    @operation(
        "jobs.listJobs",
        summary="List jobs",
        query=JobsQuery,
        answers={200: Listing[JobOut]},
    )
    def get(self, request: Request) -> Response:
        """Newest first: one's own and those on readable stores; an admin key sees all."""
        query = parse_query(request, JobsQuery)
        jobs = visible_jobs(caller_of(request))
        filters = {"kind": query.kind, "state": query.state, "target_uuid": query.target}
        jobs = jobs.filter(**{name: value for name, value in filters.items() if value})
        rows, next_page = newest_first(jobs, query)
        return Response(list_body([render_job(row) for row in rows], next_page))


class JobView(ApiView):
    @operation("jobs.getJob", summary="Get a job", answers={200: JobOut}, errors=(NotFound,))
    def get(self, request: Request, id: str) -> Response:
        """How far it is, and what came of it: identifiers, counts and closed words."""
        job: Job = find_job(caller_of(request), parse_path_id("job", id))
        parse_nothing(request)
        return Response(render_job(job))
