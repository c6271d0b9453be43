from typing import Any

from django.core.management.base import CommandParser

from tenancy.actions.workspaces import disable_workspace, enable_workspace
from tenancy.commands import OperatorCommand, Refused
from tenancy.queries import find_workspace

ACTIONS = {"active": enable_workspace, "disabled": disable_workspace}


class Command(OperatorCommand):
    help = "Disable a Workspace, or enable it again; its state is the last line of output."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", required=True, help="its name or ID")
        parser.add_argument("--state", required=True, help="active or disabled")

    def handle(self, *, workspace: str, state: str, **_: Any) -> None:
        if state not in ACTIONS:
            raise Refused(f"--state is active or disabled, not {state}.")
        changed = ACTIONS[state](workspace_id=find_workspace(workspace).id)
        self.tell(f"The Workspace {changed.name} is now:", changed.state)
