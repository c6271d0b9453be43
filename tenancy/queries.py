"""Reads of tenancy. Each list is the caller's own Workspace and nothing else."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import Count, Q, QuerySet

from tenancy.administration import may_know_of
from tenancy.authority import Target
from tenancy.caller import Caller
from tenancy.models import (
    Agent,
    ApiKey,
    AuditEntry,
    CollaborationSpace,
    Environment,
    PermissionAssignment,
    Principal,
    SpaceMember,
    SubjectKind,
    TargetKind,
    User,
    Workspace,
)
from wire.errors import NotFound
from wire.ids import MalformedId, kind_among, parse_id


def workspace_of(caller: Caller) -> Workspace:
    """The caller's own Workspace."""
    return Workspace.objects.get(id=caller.workspace_id)


def find_workspace(text: str) -> Workspace:
    """A Workspace by its name or ID, for commands on the server. Raises NotFound."""
    try:
        wanted = Q(id=parse_id("workspace", text))
    except MalformedId:
        wanted = Q(name=text)
    workspace = Workspace.objects.filter(wanted).first()
    if workspace is None:
        raise NotFound(f"There is no Workspace {text}.")
    return workspace


def is_runner_of(caller: Caller, environment_id: str) -> bool:
    """Whether the caller's key was made to settle Runs of an environment."""
    runners = ApiKey.objects.filter(id=caller.key_id, key_class=ApiKey.Class.RUNNER)
    return caller.key_id is not None and runners.filter(environments=environment_id).exists()


def principals_of(user: User) -> QuerySet[Principal]:
    """The principals that a signed-in person is, one a Workspace, with that Workspace loaded.

    `tenancy.authentication.caller_of_person` makes a Caller of one.
    """
    return (
        Principal.objects.filter(user=user).select_related("workspace").order_by("workspace__name")
    )


def principals(caller: Caller) -> QuerySet[Principal]:
    """The principals of the Workspace."""
    return Principal.objects.filter(workspace=caller.workspace_id)


def agents(caller: Caller) -> QuerySet[Agent]:
    """The agents of the Workspace."""
    return Agent.objects.filter(workspace=caller.workspace_id)


def environments(caller: Caller) -> QuerySet[Environment]:
    """The environments of the Workspace."""
    return Environment.objects.filter(workspace=caller.workspace_id)


def spaces(caller: Caller) -> QuerySet[CollaborationSpace]:
    """The collaboration spaces of the Workspace."""
    return CollaborationSpace.objects.filter(workspace=caller.workspace_id)


def spaces_with_counts(caller: Caller) -> QuerySet[Any]:
    """The collaboration spaces of the Workspace, each with how many belong to it."""
    return spaces(caller).annotate(member_count=Count("members"))


def members_of(space: CollaborationSpace) -> QuerySet[SpaceMember]:
    """Who belongs to a space."""
    return SpaceMember.objects.filter(space=space)


def api_keys(caller: Caller) -> QuerySet[ApiKey]:
    """The keys of the Workspace, with the principals and environments that they are for."""
    keys = ApiKey.objects.filter(workspace=caller.workspace_id)
    return keys.prefetch_related("may_act_for", "environments")


def assignments(
    caller: Caller, *, subject_id: str | None = None, target_id: str | None = None
) -> QuerySet[PermissionAssignment]:
    """The permission assignments of the Workspace, of one subject or on one target."""
    rows = PermissionAssignment.objects.filter(workspace=caller.workspace_id)
    if subject_id:
        kind = kind_among(SubjectKind.values, subject_id)
        rows = rows.filter(subject_kind=kind, subject_uuid=subject_id)
    if target_id:
        kind = kind_among(TargetKind.values, target_id)
        rows = rows.filter(target_kind=kind, target_uuid=target_id)
    return rows


def last_entry(event: str, target_id: str) -> AuditEntry | None:
    """The last entry of one kind about something; whoever asks knows that they may know of it."""
    return AuditEntry.objects.filter(target_uuid=target_id, event=event).order_by("-id").first()


def audit_entries(
    caller: Caller,
    *,
    target_id: str | None = None,
    event: str | None = None,
    by: str | None = None,
    days: tuple[date | None, date | None] = (None, None),
) -> QuerySet[AuditEntry]:
    """The audit trail of the Workspace, or what some conditions leave of it.

    Args:
        event: one event, or its noun with a dot for all of that noun.
        by: a principal or a key, that did it or for whom it was done.
        days: the first and the last day, in UTC.
    """
    rows = AuditEntry.objects.filter(workspace=caller.workspace_id)
    if target_id:
        rows = rows.filter(target_uuid=target_id)
    if event:
        rows = (
            rows.filter(event__startswith=event) if event[-1] == "." else rows.filter(event=event)
        )
    if by:
        rows = rows.filter(Q(actor_uuid=by) | Q(acting_principal_uuid=by))
    first, last = days
    if first:
        rows = rows.filter(at__gte=datetime.combine(first, time.min, UTC))
    if last:
        rows = rows.filter(at__lt=datetime.combine(last, time.min, UTC) + timedelta(days=1))
    return rows


def find_principal(caller: Caller, principal_id: str, *, for_update: bool = False) -> Principal:
    """A principal of the Workspace. Raises NotFound.

    Args:
        for_update: here and below, whether others wait until this transaction is done with it.
    """
    return _one(principals(caller).filter(id=principal_id), "principal", for_update=for_update)


def find_agent(caller: Caller, agent_id: str, *, for_update: bool = False) -> Agent:
    """An agent of the Workspace. Raises NotFound."""
    return _one(agents(caller).filter(id=agent_id), "agent", for_update=for_update)


def find_environment(
    caller: Caller, environment_id: str, *, for_update: bool = False
) -> Environment:
    """An environment of the Workspace. Raises NotFound."""
    rows = environments(caller).filter(id=environment_id)
    return _one(rows, "environment", for_update=for_update)


def find_space(caller: Caller, space_id: str, *, for_update: bool = False) -> CollaborationSpace:
    """A collaboration space of the Workspace. Raises NotFound."""
    rows = spaces(caller).filter(id=space_id)
    return _one(rows, "collaboration space", for_update=for_update)


def find_key(caller: Caller, key_id: str, *, for_update: bool = False) -> ApiKey:
    """A key of the Workspace. Raises NotFound."""
    return _one(api_keys(caller).filter(id=key_id), "API key", for_update=for_update)


def find_assignment(
    caller: Caller, assignment_id: str, *, for_update: bool = False
) -> PermissionAssignment:
    """A permission assignment of the Workspace, on something that the caller may know of.

    Raises:
        NotFound: there is none, or it is on a store that the caller may not read.
    """
    rows = assignments(caller).filter(id=assignment_id)
    found = _one(rows, _ASSIGNMENT, for_update=for_update)
    if not may_know_of(caller, Target.of(found)):
        raise _no_such(_ASSIGNMENT)
    return found


_ASSIGNMENT = "permission assignment"


def _one[M: (Principal, Agent, Environment, CollaborationSpace, ApiKey, PermissionAssignment)](
    rows: QuerySet[M], noun: str, *, for_update: bool
) -> M:
    found = (rows.select_for_update(no_key=True) if for_update else rows).first()
    if found is None:
        raise _no_such(noun)
    return found


def _no_such(noun: str) -> NotFound:
    return NotFound(f"There is no such {noun}.")
