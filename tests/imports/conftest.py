"""A repository to fill, and imports of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from memory.actions.git_imports import ImportedStore, import_store
from memory.actions.stores import Owner, StoreSettings
from memory.git.conversion import next_versions
from memory.git.history import History
from memory.git.repository import find_commit, open_repository
from memory.git.selection import Selection
from memory.models import OwnerKind
from tenancy.models import Workspace
from tests.factories import platform
from tests.gitrepos import GitRepo

type Import = Callable[..., tuple[ImportedStore, Selection]]


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """An empty repository."""
    return GitRepo(tmp_path / "repository")


@pytest.fixture
def import_repo(repo: GitRepo, workspace: Workspace) -> Import:
    """Imports `repo`; returns the store, and what was left out."""

    def run(prefix: str = "", ref: str = "main", **more: Any) -> tuple[ImportedStore, Selection]:
        opened = open_repository(repo.path)
        selection = Selection(opened, settings.MAX_DOCUMENTS)
        history = History(opened, find_commit(opened, ref), prefix)
        owner = Owner(OwnerKind.WORKSPACE, workspace.id)
        imported = import_store(
            caller=platform(workspace),
            settings=StoreSettings("Imported", owner, **more),
            versions=next_versions(history, selection),
        )
        return imported, selection

    return run
