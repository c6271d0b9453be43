from typing import Any

from django.core.management.base import CommandParser

from tenancy.actions.workspaces import create_workspace
from tenancy.commands import OperatorCommand


class Command(OperatorCommand):
    help = "Make a Workspace; its ID is the last line of output."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="lowercase letters, digits and dashes")

    def handle(self, *, name: str, **_: Any) -> None:
        workspace = create_workspace(name=name)
        self.tell(f"Made the Workspace {name}.", workspace.id)
