"""Two changes of one text brought together by git itself."""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

SIDES = ("canonical", "base", "proposal")
"""In the order in which `git merge-file` takes them; it names conflicts after them."""


def merge_by_git(base: str, canonical: str, proposal: str) -> tuple[str, int]:
    """What `git merge-file` makes of three texts, and how many conflicts it finds."""
    texts = {"base": base, "canonical": canonical, "proposal": proposal}
    with TemporaryDirectory() as folder:
        for name, text in texts.items():
            (Path(folder) / name).write_bytes(text.encode())
        done = subprocess.run(
            ["git", "merge-file", "-p", *SIDES], cwd=folder, capture_output=True, check=False
        )
    assert 0 <= done.returncode < 128, done.stderr
    return done.stdout.decode(), done.returncode
