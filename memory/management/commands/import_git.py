from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from memory.access import open_store
from memory.actions.git_imports import ImportedStore, ResumedImport, import_store, resume_import
from memory.actions.stores import StoreSettings
from memory.erasure.touched import fenced_paths
from memory.git.conversion import next_versions
from memory.git.history import History
from memory.git.report import about_nothing, report, report_resumed
from memory.git.repository import RepositoryError, find_commit, open_repository
from memory.git.resuming import last_imported, require_agreement
from memory.git.selection import Selection
from memory.operating import (
    INTERRUPTED,
    caller_in,
    grant_hint,
    parse_owner,
    parse_store,
    progress_bar,
)
from memory.trees.storage import load_entries
from tenancy.caller import platform_caller
from tenancy.commands import OperatorCommand, Refused
from tenancy.models import Workspace
from tenancy.names import checked_name
from tenancy.queries import find_workspace
from wire.errors import Malformed


class Command(OperatorCommand):
    help = "Import a git history of text files as a store, whose ID is the last line of output."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("repository", type=Path, help="a git repository on this machine")
        parser.add_argument("--workspace", help="its name or ID")
        parser.add_argument("--name", help="what people call the store")
        parser.add_argument(
            "--resume", metavar="STORE", help="go on with the import that made this store"
        )
        parser.add_argument("--ref", default="HEAD", help="branch, tag or commit (HEAD)")
        parser.add_argument("--path", help="the folder to import (all of it)")
        parser.add_argument(
            "--owner", default="workspace", help="workspace, principal:ID or agent_definition:ID"
        )

    def handle(
        self,
        *,
        repository: Path,
        workspace: str | None,
        name: str | None,
        resume: str | None,
        ref: str,
        path: str | None,
        owner: str,
        **_: Any,
    ) -> None:
        prefix = _parse_prefix(path)
        try:
            if resume is not None:
                _refuse_both(workspace, name)
                self._resume(parse_store(resume), repository, ref, prefix)
                return
            if workspace is None or name is None:
                raise Refused("A new store needs --workspace and --name.")
            found = find_workspace(workspace)
            store = StoreSettings(checked_name(name), parse_owner(owner, found))
            self._import(found, store, repository, ref, prefix)
        except RepositoryError as error:
            raise Refused(str(error)) from error
        except KeyboardInterrupt:
            raise Refused("Interrupted; nothing was imported.", returncode=INTERRUPTED) from None

    def _import(
        self, workspace: Workspace, store: StoreSettings, path: Path, ref: str, prefix: str
    ) -> None:
        opened = open_repository(path)
        history = History(opened, find_commit(opened, ref), prefix)
        selection = Selection(opened, settings.MAX_DOCUMENTS)
        imported = self._import_all(workspace, store, history, selection)
        for line in report(history, selection, imported):
            self.stdout.write(line)
        self.tell(grant_hint(workspace, store.owner, imported.store_id), imported.store_id)

    def _import_all(
        self, workspace: Workspace, store: StoreSettings, history: History, selection: Selection
    ) -> ImportedStore:
        with progress_bar("commits", visible=self.stderr.isatty()) as progress:
            commits = progress.track(history, description="Importing")
            try:
                return import_store(
                    caller=platform_caller(workspace),
                    settings=store,
                    versions=next_versions(commits, selection),
                )
            except Malformed as error:
                if selection.skipped:
                    raise Refused(about_nothing(selection)) from error
                raise

    def _resume(self, store_id: str, path: Path, ref: str, prefix: str) -> None:
        access = open_store(caller_in(store_id), store_id)
        last = last_imported(store_id)
        documents, fenced = load_entries(last.id), fenced_paths(store_id)
        opened = open_repository(path)
        history = History(opened, find_commit(opened, ref), prefix, last.note.source_id)
        require_agreement(history, documents, fenced)
        held = [document.path for document in documents]
        selection = Selection(opened, settings.MAX_DOCUMENTS, held, fenced)
        with progress_bar("commits", visible=self.stderr.isatty()) as progress:
            commits = progress.track(history, description="Importing")
            resumed: ResumedImport = resume_import(
                access=access, last=last, versions=next_versions(commits, selection)
            )
        for line in report_resumed(history, selection, resumed):
            self.stdout.write(line)
        self.stdout.write(store_id)


def _refuse_both(workspace: str | None, name: str | None) -> None:
    if workspace is not None or name is not None:
        raise Refused("--resume names a store that is there; leave --workspace and --name out.")


def _parse_prefix(text: str | None) -> str:
    if text is None:
        return ""
    prefix = text.strip("/").removeprefix("./")
    if prefix in ("", "."):
        raise Refused("--path names no folder. Leave it out to import the whole repository.")
    return prefix
