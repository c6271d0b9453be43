"""Programs and folders for the tests of the supervisor."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config.services import down
from config.services.programs import Place, Program

type MakeProgram = Callable[..., Program]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A place of its own, in a path with spaces; whatever a test leaves running there is ended."""
    place = Place(tmp_path / "with a space")
    place.make()
    yield place
    down.stop_all(place.run)


@pytest.fixture
def program() -> MakeProgram:
    """Make a program from Python code."""

    def make(name: str, code: str) -> Program:
        return Program(name, [sys.executable, "-c", code], dict(os.environ))

    return make
