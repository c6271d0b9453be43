"""A checkout with documentation for the demo to import, and a place for its secrets."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.gitrepos import GitRepo

type Load = Callable[[], str]


@pytest.fixture
def checkout(tmp_path: Path, settings) -> GitRepo:
    """The checkout that the demo takes itself to be in: three commits, two that touch docs/."""
    repo = GitRepo(tmp_path / "checkout")
    repo.commit({"README.md": "Hello", "docs/glossary.md": "# Glossary\n"}, "Begin")
    repo.commit({"README.md": "Hello!", "docs/glossary.md": "# Glossary\n"}, "Greet louder")
    repo.commit({"docs/glossary.md": "# Glossary\n\nWords.\n", "docs/logo": b"\0"}, "Add words")
    settings.BASE_DIR = repo.path
    settings.STATE_DIR = tmp_path / "state"
    return repo


@pytest.fixture
def load(db: None, checkout: GitRepo) -> Load:
    """Runs the command; returns what it printed."""

    def run() -> str:
        out, err = StringIO(), StringIO()
        call_command("load_demo", stdout=out, stderr=err)
        assert err.getvalue() == ""
        return out.getvalue()

    return run
