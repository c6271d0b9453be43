"""The project's own documentation as a store: its git history where there is one."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from django.conf import settings

from console.demo.cast import Cast
from console.demo.changes import Add, Append
from console.demo.desk import Change, Desk, Role
from console.demo.stores import find_store, grant_on_store
from memory.actions.git_imports import import_store
from memory.actions.stores import Owner, StoreSettings
from memory.documents.texts import TextError, parse_text
from memory.git.conversion import next_versions
from memory.git.history import History
from memory.git.repository import RepositoryError, find_commit, open_repository
from memory.git.selection import Selection
from memory.models import OwnerKind
from memory.versions.chains import NextVersion
from memory.versions.sealing import Note, Put
from tenancy.caller import Caller, platform_caller
from tenancy.models import Permission, Workspace
from wire.errors import Malformed

NAME: Final = "project-docs"
DESCRIPTION: Final = "The documentation of Checkfu Memory itself, imported from its git history."
FOLDER: Final = "docs"

READING_ORDER: Final = Change(
    Role.AUTHOR,
    "Add a reading order for newcomers",
    [
        Add("/reading-order.md", NAME),
        Append(
            "/glossary.md",
            "\nNew here? The [reading order](/reading-order.md) says what to read next.\n",
        ),
    ],
    "Newcomers asked where to begin. This adds a page that says so, and points to it from the"
    " glossary, which most of them open first.",
)


def load_project_docs(cast: Cast, callers: Mapping[Role, Caller]) -> None:
    """Import the store, and open a Proposal on it."""
    store_id = find_store(cast.workspace, NAME) or _import(cast.workspace)
    grant_on_store(store_id, cast.reviewer, Permission.READ, Permission.REVIEW)
    grant_on_store(store_id, cast.author, Permission.READ, Permission.WRITE)
    grant_on_store(store_id, cast.service, Permission.READ)
    Desk(store_id, callers).propose(READING_ORDER)


def _import(workspace: Workspace) -> str:
    try:
        return _import_versions(workspace, _from_history())
    except (RepositoryError, Malformed):  # no checkout, or nothing of it committed
        return _import_versions(workspace, _from_files())


def _import_versions(workspace: Workspace, versions: Iterator[NextVersion]) -> str:
    owner = Owner(OwnerKind.WORKSPACE, workspace.id)
    imported = import_store(
        caller=platform_caller(workspace),
        settings=StoreSettings(NAME, owner, DESCRIPTION),
        versions=versions,
    )
    return imported.store_id


def _from_history() -> Iterator[NextVersion]:
    repository = open_repository(Path(settings.BASE_DIR))
    history = History(repository, find_commit(repository, "HEAD"), FOLDER)
    return next_versions(history, Selection(repository, settings.MAX_DOCUMENTS))


def _from_files() -> Iterator[NextVersion]:
    root = Path(settings.BASE_DIR, FOLDER)
    texts = {file: _text(file) for file in sorted(root.rglob("*")) if file.is_file()}
    changes = {
        "/" + file.relative_to(root).as_posix(): Put(text)
        for file, text in texts.items()
        if text is not None
    }
    yield NextVersion(changes, Note(f"Take the files of {FOLDER}/ as they are"))


def _text(file: Path) -> str | None:
    """A file's text, or None for one that a store cannot hold."""
    try:
        return parse_text(file.read_bytes().decode())
    except (UnicodeDecodeError, TextError):
        return None
