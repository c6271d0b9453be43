"""Making, changing and archiving environments (contract S1)."""

from dataclasses import dataclass
from typing import Any

from database.transactions import durable
from tenancy.administration import require_admin
from tenancy.audit import record
from tenancy.caller import Caller
from tenancy.changes import apply_changes
from tenancy.models import Environment
from tenancy.names import checked_name
from tenancy.queries import find_environment
from wire.errors import ReadOnly


@dataclass(frozen=True, slots=True)
class Abilities:
    """What the machinery of an environment can do with mounted memory; it never changes.

    Attributes:
        can_enumerate: it lists a whole mounted tree, which a capture needs (contract S5).
        memory_writer: how what an agent writes there becomes a version.
    """

    can_enumerate: bool
    memory_writer: Environment.MemoryWriter


@durable
def create_environment(
    *, caller: Caller, name: str, abilities: Abilities, description: str = ""
) -> Environment:
    """Make an environment in the caller's Workspace.

    Raises:
        PolicyDenied: the caller does not administer the Workspace.
        Malformed: the name is not one line.
    """
    require_admin(caller)
    environment = Environment.objects.create(
        workspace_id=caller.workspace_id,
        name=checked_name(name),
        description=description,
        can_enumerate=abilities.can_enumerate,
        memory_writer=abilities.memory_writer,
    )
    told = {"can_enumerate": abilities.can_enumerate, "memory_writer": abilities.memory_writer}
    _audit(caller, environment, "environment.created", told)
    return environment


@durable
def change_environment(
    *, caller: Caller, environment_id: str, name: str | None = None, description: str | None = None
) -> Environment:
    """Rename or describe an environment anew; None leaves a value as it is.

    Raises:
        NotFound: the Workspace has no such environment.
        PolicyDenied: the caller does not administer the Workspace.
        ReadOnly: the environment is archived.
        Malformed: the name is not one line.
    """
    environment = find_environment(caller, environment_id, for_update=True)
    require_admin(caller)
    if environment.state == Environment.State.ARCHIVED:
        raise ReadOnly("The environment is archived and takes no changes.")
    values = {"name": name and checked_name(name), "description": description}
    changed = apply_changes(environment, values)
    if changed:
        environment.save(update_fields=changed)
        _audit(caller, environment, "environment.changed", {"fields": changed})
    return environment


@durable
def archive_environment(*, caller: Caller, environment_id: str) -> Environment:
    """Retire an environment for good. Archiving an archived one changes nothing.

    Raises:
        NotFound: the Workspace has no such environment.
        PolicyDenied: the caller does not administer the Workspace.
    """
    environment = find_environment(caller, environment_id, for_update=True)
    require_admin(caller)
    if environment.state != Environment.State.ARCHIVED:
        environment.state = Environment.State.ARCHIVED
        environment.save(update_fields=["state"])
        _audit(caller, environment, "environment.archived", {})
    return environment


def _audit(caller: Caller, environment: Environment, event: str, detail: dict[str, Any]) -> None:
    record(
        caller=caller,
        event=event,
        target_kind="environment",
        target_id=environment.id,
        detail=detail,
    )
