from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from database.transactions import durable_once
from memory.actions.store_imports import (
    abandon_import,
    begin_import,
    complete_import,
    receive_page,
    receive_whole,
)
from memory.actions.stores import StoreSettings
from memory.importing.faults import BundleFault
from memory.importing.files import parts_of
from memory.importing.jobs import import_batch
from memory.importing.pages import is_page, read_page
from memory.importing.wholes import read_whole
from memory.models import ImportState, StoreImport
from memory.operating import INTERRUPTED, grant_hint, parse_owner, progress_bar
from memory.queries.imports import find_import
from tenancy.caller import Caller, platform_caller
from tenancy.commands import OperatorCommand, Refused
from tenancy.names import checked_name
from tenancy.queries import find_workspace
from wire.errors import ApiError


class Command(OperatorCommand):
    help = "Import an export as a store, whose ID is the last line of output."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files",
            nargs="+",
            type=Path,
            help="pages of an export, one a file or one a line; or one whole export",
        )
        parser.add_argument("--workspace", required=True, help="its name or ID")
        parser.add_argument("--name", required=True, help="what people call the store")
        parser.add_argument(
            "--owner", default="workspace", help="workspace, principal:ID or agent_definition:ID"
        )

    def handle(self, *, files: list[Path], workspace: str, name: str, owner: str, **_: Any) -> None:
        found = find_workspace(workspace)
        caller = platform_caller(found)
        store = StoreSettings(checked_name(name), parse_owner(owner, found))
        begun = begin_import(caller=caller, settings=store)
        try:
            self._receive(caller, begun.store_id, files)
            self._build(caller, begun.store_id)
        except KeyboardInterrupt:
            abandon_import(caller=caller, store_id=begun.store_id)
            raise Refused("Interrupted; nothing was imported.", returncode=INTERRUPTED) from None
        except (ApiError, OSError) as error:
            abandon_import(caller=caller, store_id=begun.store_id)
            raise Refused(f"Nothing was imported. {error}") from error
        made = find_import(caller, begun.store_id)
        self.stdout.write(_sentence(made))
        self.tell(grant_hint(found, store.owner, made.store_id), made.store_id)

    def _receive(self, caller: Caller, store_id: str, files: list[Path]) -> None:
        with progress_bar("pages", visible=self.stderr.isatty()) as progress:
            for part in progress.track(parts_of(files), description="Checking"):
                if is_page(part):
                    receive_page(caller=caller, store_id=store_id, page=read_page(part))
                else:
                    receive_whole(caller=caller, store_id=store_id, pages=read_whole(part))

    def _build(self, caller: Caller, store_id: str) -> None:
        """Do here what a worker does for others, batch by batch."""
        complete_import(caller=caller, store_id=store_id, by_worker=False)
        total = sum(find_import(caller, store_id).declared.values())
        position: dict[str, Any] | None = {}
        with progress_bar("items", visible=self.stderr.isatty()) as progress:
            task = progress.add_task("Importing", total=total)
            while position is not None:
                taken, position = durable_once(import_batch)(store_id, position)
                progress.advance(task, taken)
                _require_going_on(caller, store_id)


def _require_going_on(caller: Caller, store_id: str) -> None:
    """Raise what is wrong with the export, once that is known."""
    made = find_import(caller, store_id)
    if made.state == ImportState.FAILED:
        raise BundleFault(made.error or "")


def _sentence(made: StoreImport) -> str:
    told = made.result or {}
    left_out = sum(told["refs_left_out"]["counts"].values())
    return (
        f"Imported {told['versions']:,} versions and {told['document_versions']:,} document"
        f" versions, {told['erased_bodies']:,} of them without a body, and"
        f" {told['path_fences']:,} path fences. Refs other than canonical, left out: {left_out:,}."
    )
