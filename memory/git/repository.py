"""Opening a git repository for reading, with a sentence for each way in which that fails."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pygit2
from pygit2.enums import RepositoryOpenFlag


class RepositoryError(Exception):
    """The repository, or something in it, cannot be read; the message is for a person."""


def open_repository(path: Path) -> pygit2.Repository:
    """Open the repository at `path`: a working tree, or a bare one. Its parents are not searched.

    Raises:
        RepositoryError: there is none, it is a bundle, or it belongs to another user.
    """
    try:
        _require_folder(path)
        return pygit2.Repository(path, RepositoryOpenFlag.NO_SEARCH)
    except pygit2.GitError as error:
        raise RepositoryError(_about_folder(path, str(error))) from error
    except OSError as error:
        raise RepositoryError(f"{path} cannot be read: {error.strerror}.") from error


def find_commit(repository: pygit2.Repository, ref: str) -> pygit2.Commit:
    """The commit that a branch, a tag, `HEAD` or any other revision names.

    Raises:
        RepositoryError: it names none.
    """
    try:
        return repository.revparse_single(ref).peel(pygit2.Commit)
    except (pygit2.GitError, KeyError, ValueError) as error:
        if ref == "HEAD" and repository.head_is_unborn:
            raise RepositoryError("The repository has no commit on its HEAD yet.") from error
        raise RepositoryError(f"The repository has no commit called {ref}.") from error


@contextmanager
def reading() -> Iterator[None]:
    """Say in a sentence that an object of the repository is missing or damaged."""
    try:
        yield
    except (pygit2.GitError, KeyError, OSError) as error:
        raise RepositoryError(
            "The repository is damaged or incomplete (a partial clone, perhaps):"
            f" {str(error).strip("'")}. `git fsck` tells more."
        ) from error


def _require_folder(path: Path) -> None:
    if not path.exists():
        raise RepositoryError(f"There is nothing at {path}. Name a git repository on this machine.")
    if path.is_file():
        raise RepositoryError(_about_file(path))


def _about_file(path: Path) -> str:
    with path.open("rb") as file:
        line = file.readline(32)
    if line.startswith(b"# v") and line.endswith(b" git bundle\n"):
        return f"{path} is a git bundle. Clone it first (git clone {path} FOLDER), import FOLDER."
    return f"{path} is a file, not a git repository."


def _about_folder(path: Path, reason: str) -> str:
    if "is not owned by current user" in reason:
        return (
            f"The repository at {path} belongs to another user, and git trusts it only when told:"
            f" git config --global --add safe.directory {path.absolute()}"
        )
    if reason.startswith("Repository not found"):
        return f"{path} is not a git repository."
    return f"The repository at {path} cannot be opened: {reason}."
