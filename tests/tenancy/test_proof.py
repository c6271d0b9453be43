"""Only a whole conformance run that passed may say that it proved a release."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from tenancy import capabilities
from tests.conformance import conftest as plugin

WHOLE = sorted(plugin.HERE.glob("test_*.py"))


@pytest.fixture
def proof(tmp_path, monkeypatch):
    place = tmp_path / "proven-release.json"
    monkeypatch.setattr(capabilities, "PROVEN_RELEASE", place)
    return place


def finish(
    paths: Any = WHOLE,
    status: int = 0,
    prove: bool = True,
    args: tuple[str, ...] = ("tests/conformance",),
    worker: bool = False,
    **stats: Any,
) -> None:
    config = SimpleNamespace(
        args=args,
        getoption=lambda name, default: prove,
        pluginmanager=SimpleNamespace(get_plugin=lambda name: SimpleNamespace(stats=stats)),
    )
    if worker:
        config.workerinput = {}
    items = [SimpleNamespace(path=path) for path in paths]
    session: Any = SimpleNamespace(config=config, items=items)
    plugin.pytest_sessionfinish(session, status)


def test_a_whole_run_that_passed_names_what_is_available(proof, settings):
    finish(passed=[1])

    told = json.loads(proof.read_text())
    assert told["release"] == settings.RELEASE
    assert "document_surface" in told["capabilities"]
    assert "curation" not in told["capabilities"]


def test_a_fenced_run_does_not_prove_what_is_fenced(proof, settings):
    settings.VERSIONED_SURFACE = False

    finish()

    assert json.loads(proof.read_text())["capabilities"] == ["document_surface", "jobs"]


@pytest.mark.parametrize(
    "run",
    [
        {"prove": False},
        {"status": 1},
        {"paths": WHOLE[1:]},
        {"skipped": [1]},
        {"deselected": [1]},
        {"worker": True},
        {"args": ("tests/conformance", "tests/conformance/test_one.py::test_it")},
    ],
    ids=str,
)
def test_anything_less_proves_nothing(proof, run):
    finish(**run)

    assert not proof.exists()
