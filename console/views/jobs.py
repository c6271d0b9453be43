"""Slow work: what waits, runs and has ended, and asking for a store to be verified."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from console.door import for_person, versioned
from console.erasure.reports import told_report
from console.naming import Named, Names
from console.pages import slice_by_id
from console.people import ConsoleRequest
from console.responses import redirect, render_page
from jobs.models import Job
from jobs.queries import find_job, visible_jobs
from memory.access import listable_stores, open_store
from memory.actions.verifications import request_verification


@require_safe
@for_person
def job_list(request: ConsoleRequest) -> HttpResponseBase:
    """The jobs that the person may know of, newest first."""
    page = slice_by_id(visible_jobs(request.caller).order_by("-id"), request.GET.get("page"))
    context = {
        "rows": _told(request, page.rows),
        "next_page": page.next_page,
        "is_moving": any(job.is_live for job in page.rows),
    }
    return render_page(request, "console/jobs.html", context, fragment=_fragment(request))


@require_safe
@for_person
def job(request: ConsoleRequest, job_id: str) -> HttpResponseBase:
    """One job: how far it is, and what came of it."""
    found = find_job(request.caller, job_id)
    (row,) = _told(request, [found])
    context = row | {"erasure": told_report(request, found)}
    return render_page(request, "console/job.html", context, fragment="state")


@require_POST
@for_person
@versioned
def verify(request: ConsoleRequest, store_id: str) -> HttpResponseBase:
    """Have a store verified, and show how far it is."""
    made = request_verification(access=open_store(request.caller, store_id))
    messages.success(request, "A worker verifies the store.")
    return redirect(request, reverse("console:jobs-one", args=[made.id]))


def _fragment(request: ConsoleRequest) -> str:
    """More rows behind the last one, or all of them again."""
    return "rows" if request.GET.get("page") else "list"


def _told(request: ConsoleRequest, jobs: Sequence[Job]) -> list[dict[str, Any]]:
    """Jobs with the names of their stores and of who asked for them."""
    names = Names(
        request.caller.workspace_id, [(job.created_by_kind, job.created_by_uuid) for job in jobs]
    )
    wanted = [job.target_uuid for job in jobs if job.target_kind == "store"]
    stores = dict(listable_stores(request.caller).filter(id__in=wanted).values_list("id", "name"))
    return [
        {
            "job": job,
            "store_name": stores.get(job.target_id or ""),
            "creator": _creator(names, job),
        }
        for job in jobs
    ]


def _creator(names: Names, job: Job) -> Named:
    return names.of(job.created_by_kind or "platform", job.created_by_uuid)
