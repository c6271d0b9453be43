"""Starting a Session: one form, which says what will come of it before it is sent."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.door import for_person, versioned
from console.parsing import store_parameter, version_parameter
from console.people import ConsoleRequest
from console.publishing import publish_page
from console.responses import htmx_of, redirect, render_page
from console.sessions.forms import begin, press
from console.sessions.making import make_session
from console.sessions.parties import agent_choices, environment_choices
from console.sessions.plans import Plan, read_plan

PARTS = {"preview", "choices"}
"""What htmx replaces by itself; else it is the whole form."""


@require_http_methods(["GET", "POST"])
@for_person
@versioned
def new_session(request: ConsoleRequest) -> HttpResponseBase:
    """Say who takes part and what is mounted, look what comes of it, and make the Session."""
    agents, environments = agent_choices(request.caller), environment_choices(request.caller)
    if not (agents.first and environments):
        missing = {"no_agents": not agents.first, "no_environments": not environments}
        return render_page(request, "console/session/nothing_yet.html", missing)
    if request.method == "POST":
        return _sent(request)
    data = begin(
        agent=agents.first,
        environment=environments[0][0],
        store=store_parameter(request, "store") or "",
        version=version_parameter(request, "version") or "",
        picks=bool(request.GET.get("pick")),
    )
    plan = read_plan(request.caller, data)
    plan.resolve(request.caller)
    plan.forgive()
    return _page(request, plan, data)


def _sent(request: ConsoleRequest) -> HttpResponse:
    data, focus = press(request.POST)
    plan = read_plan(request.caller, data)
    plan.resolve(request.caller)
    if data.get("do") != "create":
        plan.forgive()
    elif plan.is_complete() and (made := make_session(request.caller, plan)):
        messages.success(
            request,
            "This form has made its Session before, so there is no second one."
            if made.replayed
            else "The Session is there. Nothing runs in it yet: connect its agent.",
        )
        return redirect(request, reverse("console:session", args=[made.session_id]))
    plan.focus_on(focus)
    return _page(request, plan, data)


def _page(request: ConsoleRequest, plan: Plan, data: QueryDict) -> HttpResponse:
    target = htmx_of(request).target
    context: dict[str, Any] = {
        "plan": plan,
        "form": plan.form,
        "mounts": plan.mounts,
        "stores": data.get("stores", ""),
        "picked": data.get("pick", ""),
    }
    return publish_page(
        request,
        "console/session/new.html",
        context,
        plan.acquired,
        fragment=target if target in PARTS else "plan",
        status=plan.status,
    )
