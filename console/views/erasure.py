"""How long bodies are kept, deleting a store, and attesting what nobody here can look at."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from console.door import for_admin, versioned
from console.forms.base import ConsoleForm
from console.forms.erasure import DaysForm, DeletionForm, NoRetentionForm
from console.people import ConsoleRequest
from console.responses import redirect, render_page
from console.views.store_shell import open_tab
from memory.actions.attestations import attest_sink
from memory.actions.deletion import delete_store
from memory.actions.retention import PolicyChanges, change_retention_policy
from memory.models import RetentionPolicy, Sink
from memory.queries.retention import erasure_job, policy_of
from wire.errors import Malformed


@require_http_methods(["GET", "POST"])
@for_admin
@versioned
def retention(request: ConsoleRequest) -> HttpResponseBase:
    """The Workspace's retention policy, and the switch for keeping nothing."""
    policy = policy_of(request.caller.workspace_id)
    which = request.POST.get("form", "")
    days = DaysForm(request.POST if which == "days" else None, initial=_initial(policy))
    none = NoRetentionForm(
        request.POST if which == "none" else None,
        initial=_initial(policy),
        workspace=request.principal.workspace.name,
        is_on=policy.zero_data_retention,
        auto_id="none_%s",
    )
    for form in (days, none):
        if form.is_bound and form.is_valid() and _change(request, form):
            messages.success(request, "The retention policy is changed.")
            return redirect(request, reverse("console:retention"))
    context = {
        "policy": policy,
        "form": days,
        "none": none,
        "erasure_job": erasure_job(policy.workspace_id),
    }
    status = days.status if days.is_bound else none.status
    return render_page(request, "console/access/retention.html", context, status=status)


@require_POST
@for_admin
@versioned
def keep_again(request: ConsoleRequest) -> HttpResponseBase:
    """Switch zero data retention off."""
    change_retention_policy(
        caller=request.caller,
        version=_integer(request.POST.get("version", "")),
        changes=PolicyChanges({"zero_data_retention": False}),
    )
    messages.success(request, "New texts are kept again.")
    return redirect(request, reverse("console:retention"))


@require_http_methods(["GET", "POST"])
@for_admin
@versioned
def delete(request: ConsoleRequest, store_id: str) -> HttpResponseBase:
    """Delete a store, once its name was typed; its job tells how far that is."""
    tab = open_tab(request, store_id, "settings")
    form = DeletionForm(request.POST or None, store=tab.access.store.name)
    if form.is_valid():
        job = form.carry_out(lambda: delete_store(access=tab.access))
        if job:
            messages.success(request, "The store is closed. Workers delete what it held.")
            return redirect(request, reverse("console:jobs-one", args=[job.id]))
    context = tab.context | {"form": form}
    return render_page(request, "console/store/delete.html", context, status=form.status)


@require_POST
@for_admin
@versioned
def attest(request: ConsoleRequest, job_id: str) -> HttpResponseBase:
    """Say that a sink of an erasure holds nothing any more."""
    sink = request.POST.get("sink", "")
    if sink not in Sink.values:
        raise Malformed("sink: there is no such sink.")
    attest_sink(caller=request.caller, report_id=job_id, sink=Sink(sink))
    messages.success(request, "Attested.")
    return redirect(request, reverse("console:jobs-one", args=[job_id]))


def _change(request: ConsoleRequest, form: ConsoleForm) -> bool:
    changed = form.carry_out(
        lambda: change_retention_policy(
            caller=request.caller,
            version=form.cleaned_data["version"],
            changes=_changes(form),
        )
    )
    return changed is not None


def _changes(form: ConsoleForm) -> PolicyChanges:
    values = form.cleaned_data
    if isinstance(form, NoRetentionForm):
        return PolicyChanges({"zero_data_retention": True}, values["erase_existing"])
    names = ("body_lifetime_days", "retire_superseded_after_days")
    return PolicyChanges({name: values[name] for name in names})


def _initial(policy: RetentionPolicy) -> dict[str, Any]:
    names = ("version", "body_lifetime_days", "retire_superseded_after_days")
    return {name: getattr(policy, name) for name in names}


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise Malformed("version: expected the policy's version, a whole number.") from error
