"""What the stores hold that are measured: notes of about a kilobyte, in a hundred folders."""

from typing import Final

FOLDERS: Final = 100
TEXT: Final = (
    "# A note\n\n" + "What the team decided, and why it did not do the other thing.\n" * 16
)


def paths(size: int) -> list[str]:
    """The paths of a store of `size` documents."""
    return [f"/team/area-{n % FOLDERS:02}/note-{n:05}.md" for n in range(size)]


def text(path: str, edition: int = 0) -> str:
    """The text at a path, a different one in each edition."""
    return f"{path}, edition {edition}\n\n{TEXT}"
