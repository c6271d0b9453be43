"""Importing a git history that is made on the spot."""

import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import pygit2
from django.conf import settings
from pygit2.enums import FileMode

from benchmarks import corpus
from benchmarks.figures import Figure
from benchmarks.world import World
from memory.actions.git_imports import import_store
from memory.actions.stores import Owner, StoreSettings
from memory.git.conversion import next_versions
from memory.git.history import History
from memory.git.repository import find_commit, open_repository
from memory.git.selection import Selection
from memory.models import OwnerKind
from tests.factories import caller_for

DOCUMENTS_A_COMMIT = 10
AUTHOR = pygit2.Signature("An author", "author@example.com", 1_600_000_000)


def git_import(world: World, commits: int, repeats: int) -> list[Figure]:
    """Commits, and documents written, in a second."""
    with TemporaryDirectory() as folder:
        path = Path(folder)
        _make_history(path, commits)
        seconds = [_import(world, path) for _ in range(repeats)]
    size = f"{commits:,} commits"
    return [
        _rate("Git import, commits", size, commits, seconds),
        _rate("Git import, documents", size, commits * DOCUMENTS_A_COMMIT, seconds),
    ]


def _rate(what: str, size: str, amount: int, seconds: list[float]) -> Figure:
    rates = [amount / each for each in seconds]
    return Figure(what, size, median(rates), min(rates), max(rates), unit="/s")


def _import(world: World, path: Path) -> float:
    start = time.perf_counter()
    repository = open_repository(path)
    history = History(repository, find_commit(repository, "HEAD"))
    imported = import_store(
        caller=caller_for(world.owner),
        settings=StoreSettings("Imported", Owner(OwnerKind.PRINCIPAL, world.owner.id)),
        versions=next_versions(history, Selection(repository, settings.MAX_DOCUMENTS)),
    )
    assert imported.versions == len(history)
    return time.perf_counter() - start


def _make_history(path: Path, commits: int) -> None:
    """Each commit writes ten documents: new ones at first, then later editions of them."""
    repository = pygit2.init_repository(path, bare=True, initial_head="main")
    documents = corpus.paths(commits * DOCUMENTS_A_COMMIT // 2)
    index = pygit2.Index()
    parents: list[pygit2.Oid] = []
    for number in range(commits):
        for each in range(DOCUMENTS_A_COMMIT):
            written = number * DOCUMENTS_A_COMMIT + each
            name = documents[written % len(documents)]
            text = corpus.text(name, written // len(documents))
            blob = repository.create_blob(text.encode())
            index.add(pygit2.IndexEntry(name.removeprefix("/"), blob, FileMode.BLOB))
        tree = index.write_tree(repository)
        message = f"Commit {number}\n"
        commit = repository.create_commit("refs/heads/main", AUTHOR, AUTHOR, message, tree, parents)
        parents = [commit]
