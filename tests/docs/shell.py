"""Runs the shell blocks of a page as its reader would: in one shell, from top to bottom."""

import re
import subprocess
from pathlib import Path
from typing import Self

END = "===end of block==="


class Shell:
    """One bash for a whole page: variables and functions live from block to block.

    A context manager, so that the shell ends with the test whatever becomes of it.
    """

    def __init__(self, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            ["bash", "-euo", "pipefail"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", **environment},
        )

    def run(self, block: str) -> str:
        """Run a block; returns what it printed. Fails the test when a command failed."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{block}\necho '{END}'\n")
        self.process.stdin.flush()
        printed: list[str] = []
        for line in self.process.stdout:
            last, end, _ = line.partition(END)
            printed.append(last)
            if end:
                return "".join(printed)
        raise AssertionError(f"the block ended early, after printing:\n{''.join(printed)}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate(timeout=10)


def blocks(page: Path) -> list[str]:
    """The shell blocks of a Markdown page, in order."""
    return re.findall(r"^```sh\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
