"""Agents of the Workspace, for its admins."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.door import for_admin
from console.forms.tenancy import AgentForm
from console.pages import slice_by_id
from console.people import ConsoleRequest
from console.responses import redirect, render_page
from tenancy import queries
from tenancy.actions.agents import archive_agent, change_agent, create_agent


@require_safe
@for_admin
def agent_list(request: ConsoleRequest) -> HttpResponseBase:
    """Every agent definition."""
    page = slice_by_id(queries.agents(request.caller).order_by("-id"), request.GET.get("page"))
    context = {"rows": page.rows, "next_page": page.next_page}
    return render_page(request, "console/access/agents.html", context, fragment="rows")


@require_http_methods(["GET", "POST"])
@for_admin
def new_agent(request: ConsoleRequest) -> HttpResponseBase:
    """Make an agent."""
    form = AgentForm(request.POST or None)
    if form.is_valid():
        values = form.cleaned_data
        if form.carry_out(lambda: create_agent(caller=request.caller, **values)):
            messages.success(request, "The agent exists now. It holds no grant yet.")
            return redirect(request, reverse("console:agents"))
    context = {"form": form, "title": "New agent", "back": "console:agents", "back_to": "Agents"}
    return render_page(request, "console/access/form.html", context, status=form.status)


@require_http_methods(["GET", "POST"])
@for_admin
def agent(request: ConsoleRequest, agent_id: str) -> HttpResponseBase:
    """Rename or describe an agent."""
    found = queries.find_agent(request.caller, agent_id)
    initial = {"name": found.name, "description": found.description}
    form = AgentForm(request.POST or None, initial=initial)
    if form.is_valid():
        values = form.cleaned_data
        if form.carry_out(lambda: change_agent(caller=request.caller, agent_id=agent_id, **values)):
            messages.success(request, "Saved.")
            return redirect(request, reverse("console:agents"))
    context = {
        "form": form,
        "title": found.name,
        "agent": found,
        "back": "console:agents",
        "back_to": "Agents",
    }
    return render_page(request, "console/access/agent.html", context, status=form.status)


@require_POST
@for_admin
def archive(request: ConsoleRequest, agent_id: str) -> HttpResponse:
    """Retire an agent for good."""
    archive_agent(caller=request.caller, agent_id=agent_id)
    messages.success(request, "The agent is archived.")
    return redirect(request, reverse("console:agents"))
