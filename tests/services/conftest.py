"""Programs and folders for the tests of the supervisor."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config.services import down
from config.services.programs import Place, Program

type MakeProgram = Callable[..., Program]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a space in its path, which is short enough for a socket, unlike `tmp_path`."""
    with tempfile.TemporaryDirectory(prefix="checkfu test ") as folder:
        yield Path(folder)


@pytest.fixture
def place(folder: Path) -> Iterator[Place]:
    """A place for programs; whatever a test leaves running there is ended."""
    place = Place(folder)
    place.make()
    yield place
    down.stop_all(place.run)


@pytest.fixture
def program() -> MakeProgram:
    """Make a program from Python code."""

    def make(name: str, code: str) -> Program:
        return Program(name, [sys.executable, "-c", code], dict(os.environ))

    return make
