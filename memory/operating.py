"""What the operator's commands about stores have in common."""

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from memory.access import NO_SUCH_STORE
from memory.actions.stores import Owner
from memory.models import MemoryStore, OwnerKind
from tenancy.caller import Caller, platform_caller
from tenancy.commands import Refused
from tenancy.models import Workspace
from wire.errors import NotFound
from wire.ids import MalformedId, parse_id

INTERRUPTED = 130
"""The exit status of a command that was interrupted."""


def parse_owner(text: str, workspace: Workspace) -> Owner:
    """The owner that `--owner` names: workspace, principal:ID or agent_definition:ID."""
    kind, _, owner_id = text.partition(":")
    if text == OwnerKind.WORKSPACE:
        return Owner(OwnerKind.WORKSPACE, workspace.id)
    if kind not in (OwnerKind.PRINCIPAL, OwnerKind.AGENT_DEFINITION):
        raise Refused("--owner is workspace, principal:ID or agent_definition:ID.")
    try:
        return Owner(OwnerKind(kind), parse_id(kind, owner_id))
    except MalformedId as error:
        raise Refused(f"--owner: {error}.") from error


def parse_store(text: str) -> str:
    """The store that an argument names."""
    try:
        return parse_id("store", text)
    except MalformedId as error:
        raise Refused(f"The store ID is malformed: {error}.") from error


def caller_in(store_id: str) -> Caller:
    """The operator as the Caller in a store's Workspace. Raises NotFound when there is no store."""
    store = MemoryStore.objects.select_related("workspace").filter(id=store_id).first()
    if store is None:
        raise NotFound(NO_SUCH_STORE)
    return platform_caller(store.workspace)


def progress_bar(noun: str, *, visible: bool) -> Progress:
    """A bar on standard error that counts things of some kind."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(noun),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not visible,
    )


def grant_hint(workspace: Workspace, owner: Owner, store_id: str) -> str:
    """Who may read a new store, and how to let others."""
    held = "Nobody has" if owner.kind == OwnerKind.WORKSPACE else "Only its owner has"
    return (
        f"{held} a grant on the store. To let somebody read it: manage.py grant --workspace"
        f" {workspace.name} --subject ID --target {store_id} --permissions read"
    )
