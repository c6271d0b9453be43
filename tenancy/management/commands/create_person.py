import getpass
import sys
from typing import Any

from django.core.management.base import CommandParser

from tenancy.actions.principals import create_person
from tenancy.caller import platform_caller
from tenancy.commands import OperatorCommand, Refused
from tenancy.queries import find_workspace


class Command(OperatorCommand):
    help = "Make a person who signs in; the principal's ID is the last line of output."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", required=True, help="its name or ID")
        parser.add_argument("--name", required=True, help="what people call the person")
        parser.add_argument("--username", required=True, help="what they sign in with")
        parser.add_argument("--admin", action="store_true", help="administers the Workspace")
        parser.add_argument(
            "--password-stdin", action="store_true", help="read the password from standard input"
        )

    def handle(
        self,
        *,
        workspace: str,
        name: str,
        username: str,
        admin: bool,
        password_stdin: bool,
        **_: Any,
    ) -> None:
        caller = platform_caller(find_workspace(workspace))
        person = create_person(
            caller=caller,
            name=name,
            username=username,
            password=_read_line() if password_stdin else _ask(),
            is_admin=admin,
        )
        self.tell(f"Made {username}, who can sign in now.", person.id)


def _read_line() -> str:
    return sys.stdin.readline().rstrip("\r\n")


def _ask() -> str:
    password = getpass.getpass("Password: ")
    if password != getpass.getpass("Password, once more: "):
        raise Refused("The two passwords differ.")
    return password
