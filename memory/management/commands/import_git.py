from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from memory.actions.imports import ImportedStore, import_store
from memory.actions.stores import StoreSettings
from memory.git.conversion import next_versions
from memory.git.history import History
from memory.git.report import report
from memory.git.repository import RepositoryError, find_commit, open_repository
from memory.git.selection import Selection
from memory.operating import INTERRUPTED, grant_hint, parse_owner, progress_bar
from tenancy.caller import platform_caller
from tenancy.commands import OperatorCommand, Refused
from tenancy.models import Workspace
from tenancy.names import checked_name
from tenancy.queries import find_workspace


class Command(OperatorCommand):
    help = "Import a git history of text files as a store, whose ID is the last line of output."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("repository", type=Path, help="a git repository on this machine")
        parser.add_argument("--workspace", required=True, help="its name or ID")
        parser.add_argument("--name", required=True, help="what people call the store")
        parser.add_argument("--ref", default="HEAD", help="branch, tag or commit (HEAD)")
        parser.add_argument("--path", help="the folder to import (all of it)")
        parser.add_argument(
            "--owner", default="workspace", help="workspace, principal:ID or agent_definition:ID"
        )

    def handle(
        self,
        *,
        repository: Path,
        workspace: str,
        name: str,
        ref: str,
        path: str | None,
        owner: str,
        **_: Any,
    ) -> None:
        found = find_workspace(workspace)
        store = StoreSettings(checked_name(name), parse_owner(owner, found))
        prefix = _parse_prefix(path)
        try:
            opened = open_repository(repository)
            history = History(opened, find_commit(opened, ref), prefix)
            selection = Selection(opened, settings.MAX_DOCUMENTS)
            imported = self._import(found, store, history, selection)
        except RepositoryError as error:
            raise Refused(str(error)) from error
        except KeyboardInterrupt:
            raise Refused("Interrupted; nothing was imported.", returncode=INTERRUPTED) from None
        for line in report(history, selection, imported):
            self.stdout.write(line)
        self.tell(grant_hint(found, store.owner, imported.store_id), imported.store_id)

    def _import(
        self, workspace: Workspace, store: StoreSettings, history: History, selection: Selection
    ) -> ImportedStore:
        with progress_bar("commits", visible=self.stderr.isatty()) as progress:
            commits = progress.track(history, description="Importing")
            return import_store(
                caller=platform_caller(workspace),
                settings=store,
                versions=next_versions(commits, selection),
            )


def _parse_prefix(text: str | None) -> str:
    if text is None:
        return ""
    prefix = text.strip("/").removeprefix("./")
    if prefix in ("", "."):
        raise Refused("--path names no folder. Leave it out to import the whole repository.")
    return prefix
