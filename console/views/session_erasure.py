"""Erasing a Session: what goes, how far that is, and what it waits for (contract S7)."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.door import for_admin, versioned
from console.erasure.reports import told_report
from console.forms.erasure import SessionErasureForm
from console.people import ConsoleRequest
from console.responses import redirect, render_page
from console.sessions.pages import open_shell
from console.sessions.words import OBSTACLES
from sessions.access import SessionAccess
from sessions.actions.erasure import erase_session
from sessions.erasure.obstacles import Obstacle, obstacles
from sessions.models import Session
from sessions.queries.erasure import erasure_of


@require_http_methods(["GET", "POST"])
@for_admin
@versioned
def erase(request: ConsoleRequest, session_id: str) -> HttpResponseBase:
    """Ask for it, once the agent's name was typed; later see how it stands, and have it go on."""
    shell = open_shell(request, session_id, "session-erase")
    form = SessionErasureForm(request.POST or None, agent=shell.session.agent.name)
    is_sure = shell.session.is_being_erased or form.is_valid()
    if request.method == "POST" and is_sure:
        return _go_on(request, shell.access)
    context = shell.context | {"form": form} | _standing(request, shell.session)
    return render_page(request, "console/session/erase.html", context, status=form.status)


def _go_on(request: ConsoleRequest, access: SessionAccess) -> HttpResponseBase:
    erase_session(access=access)
    messages.success(request, "Workers erase what is the Session's own.")
    return redirect(request, reverse("console:session-erase", args=[access.session_id]))


def _standing(request: ConsoleRequest, session: Session) -> dict[str, Any]:
    """How an erasure stands; nothing before it was asked for."""
    if not session.is_being_erased:
        return {}
    job = erasure_of(session).job
    waits = [] if session.state == Session.State.ERASED else obstacles(session)
    return {
        "job": job,
        "obstacles": [_told(obstacle) for obstacle in waits],
        "erasure": told_report(request, job),
    }


def _told(obstacle: Obstacle) -> dict[str, Any]:
    what, helps = OBSTACLES[obstacle.kind]
    return {"what": what, "helps": helps, "obstacle": obstacle}
