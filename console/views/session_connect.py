"""Connecting an agent to its Session: keys that act as it, and commands to copy."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from console.door import for_person, versioned
from console.forms.sessions import KeyForm
from console.parsing import position_parameter
from console.people import ConsoleRequest
from console.permissions.keys import key_state
from console.publishing import publish_sessions_page
from console.responses import redirect
from console.sessions.connecting import Command, commands_for, setting_up
from console.sessions.pages import MountRow, SessionShell, mount_rows, open_shell
from memory.queries.documents import list_documents
from sessions.access import open_session
from sessions.actions.keys import create_session_key, revoke_session_key
from sessions.models import Session
from sessions.queries.facts import has_native_writer
from sessions.queries.keys import session_keys
from sessions.queries.rounds import inputs_of
from tenancy.models import ApiKey
from wire.errors import NotFound


@require_http_methods(["GET", "POST"])
@for_person
@versioned
def connect(request: ConsoleRequest, session_id: str) -> HttpResponseBase:
    """Keys of the Session, and what its agent can do with each mount."""
    shell = open_shell(request, session_id, "session-connect")
    form = KeyForm(request.POST or None, initial={"name": "Agent"})
    if form.is_valid() and (made := form.carry_out(lambda: _make(shell, form.cleaned_data))):
        key, secret = made
        return _page(request, shell, form, key=key, secret=secret, status=201)
    return _page(request, shell, form, status=form.status)


@require_POST
@for_person
@versioned
def revoke(request: ConsoleRequest, session_id: str, key_id: str) -> HttpResponse:
    """End a key of the Session now."""
    access = open_session(request.caller, session_id)
    revoke_session_key(access=access, key_id=key_id)
    messages.success(request, "The key is revoked. Requests with it are refused from now on.")
    return redirect(request, reverse("console:session-connect", args=[session_id]))


def _make(shell: SessionShell, values: dict[str, Any]) -> tuple[ApiKey, str]:
    day = values["expires_on"]
    end = datetime.combine(day, time.min, UTC) + timedelta(days=1) if day else None
    return create_session_key(access=shell.access, name=values["name"], expires_at=end)


def _page(
    request: ConsoleRequest, shell: SessionShell, form: KeyForm, *, status: int, **made: Any
) -> HttpResponse:
    rows = mount_rows(shell)
    row = _asked_for(rows, position_parameter(request, "mount"))
    keys = session_keys(shell.session.id).order_by("-id") if shell.context["may_keys"] else ()
    is_native = has_native_writer(shell.session.environment)
    input_id = _last_input(shell.session) if is_native else None
    context = shell.context | {
        "form": form,
        "rows": rows,
        "row": row,
        "setting_up": setting_up(request),
        "commands": _commands(row, input_id) if row else [],
        "wants_input": is_native and not input_id,
        "keys": [(key, key_state(key)) for key in keys],
        **made,
    }
    read = shell.read(each.access for each in rows if each.access)
    return publish_sessions_page(
        request, "console/session/connect.html", context, read, status=status
    )


def _asked_for(rows: list[MountRow], position: int | None) -> MountRow | None:
    """The mount whose commands are shown: the first when none is asked for."""
    if position is None:
        return rows[0] if rows else None
    for row in rows:
        if row.mount.position == position:
            return row
    raise NotFound("The Session has no such mount.")


def _commands(row: MountRow, input_id: str | None) -> list[Command]:
    """None for a mount that reads nothing, or a store that the person may not read."""
    if not (row.resolution and row.reads):
        return []
    first = list_documents(row.reads.id, limit=1)
    return commands_for(
        row.mount,
        row.resolution,
        first[0].path if first else None,
        working_ref=row.ref.version_id if row.ref else None,
        input_id=input_id,
    )


def _last_input(session: Session) -> str | None:
    """The last input of a Session, if it was sent one."""
    return inputs_of(session.id).order_by("-id").values_list("id", flat=True).first()
