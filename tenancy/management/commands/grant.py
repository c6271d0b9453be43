from typing import Any

from django.core.management.base import CommandParser

from tenancy.actions.permissions import assign
from tenancy.authority import Target
from tenancy.caller import Subject, platform_caller
from tenancy.commands import OperatorCommand, Refused
from tenancy.models import Permission, SubjectKind, TargetKind
from tenancy.queries import find_workspace
from wire.ids import MalformedId, kind_among, parse_id


class Command(OperatorCommand):
    help = "Grant permissions; the assignment's ID is the last line of output."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", required=True, help="its name or ID")
        parser.add_argument("--subject", required=True, metavar="ID", help="who is granted it")
        parser.add_argument("--target", required=True, metavar="ID", help="what it is granted on")
        parser.add_argument("--permissions", required=True, help="as read,write,review")

    def handle(
        self, *, workspace: str, subject: str, target: str, permissions: str, **_: Any
    ) -> None:
        subject_kind, subject_id = _named("--subject", SubjectKind.values, subject)
        target_kind, target_id = _named("--target", TargetKind.values, target)
        assignment = assign(
            caller=platform_caller(find_workspace(workspace)),
            subject=Subject(SubjectKind(subject_kind), subject_id),
            target=Target(TargetKind(target_kind), target_id),
            permissions=_permissions(permissions),
        )
        self.tell(f"Granted {permissions} on {target_id}.", assignment.id)


def _named(option: str, kinds: list[str], text: str) -> tuple[str, str]:
    try:
        kind = kind_among(kinds, text)
        return kind, parse_id(kind, text)
    except MalformedId as error:
        raise Refused(f"{option}: {error}.") from error


def _permissions(text: str) -> list[Permission]:
    unknown = [name for name in text.split(",") if name not in Permission.values]
    if unknown:
        known = ", ".join(Permission.values)
        raise Refused(f"--permissions: {', '.join(unknown)} is none of {known}.")
    return [Permission(name) for name in text.split(",")]
