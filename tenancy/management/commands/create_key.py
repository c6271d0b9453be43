from typing import Any

from django.core.management.base import CommandParser

from tenancy.actions.keys import create_key
from tenancy.caller import platform_caller
from tenancy.commands import OperatorCommand, Refused
from tenancy.models import ApiKey
from tenancy.queries import find_workspace
from wire.ids import MalformedId, parse_id


class Command(OperatorCommand):
    help = "Make an API key; its secret, shown this once, is the last line of output."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", required=True, help="its name or ID")
        parser.add_argument("--name", required=True, help="what people call the key")
        parser.add_argument("--class", required=True, dest="key_class", help="admin or standard")
        parser.add_argument("--principal", metavar="ID", help="the principal it is bound to")

    def handle(
        self, *, workspace: str, name: str, key_class: str, principal: str | None, **_: Any
    ) -> None:
        if key_class not in {ApiKey.Class.ADMIN, ApiKey.Class.STANDARD}:
            raise Refused(f"--class is admin or standard, not {key_class}.")
        key, secret = create_key(
            caller=platform_caller(find_workspace(workspace)),
            name=name,
            key_class=ApiKey.Class(key_class),
            principal_id=_principal_id(principal) if principal else None,
        )
        self.tell(f"Made the {key_class} key {key.id}. Its secret, shown this once:", secret)


def _principal_id(text: str) -> str:
    try:
        return parse_id("principal", text)
    except MalformedId as error:
        raise Refused(f"--principal: {error}.") from error
