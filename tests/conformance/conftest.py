"""`--prove` lets a whole conformance run that passed write which release it proved.

`pytest tests/conformance --prove -n0` writes docs/proven-release.json, which the capabilities
route reads (contract §0). Anything less than the whole, passed run leaves the file alone.
"""

import json
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--prove", action="store_true", help="record the release that this whole run proved"
    )


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if (
        session.config.getoption("--prove", default=False)
        and _is_whole(session)
        and exitstatus == 0
    ):
        _write_proof()


def _is_whole(session: pytest.Session) -> bool:
    """Whether every conformance test ran: none picked, deselected, left out or skipped.

    A worker of a parallel run collects all tests and knows how its own part ended, no more.
    """
    if hasattr(session.config, "workerinput"):
        return False
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    picked = any("::" in argument for argument in session.config.args)
    left_out = (
        picked
        or reporter is None
        or reporter.stats.get("skipped")
        or reporter.stats.get("deselected")
    )
    collected = {item.path for item in session.items}
    return not left_out and collected >= set(HERE.glob("test_*.py"))


def _write_proof() -> None:
    from django.conf import settings

    from tenancy.capabilities import CAPABILITIES, PROVEN_RELEASE

    proven = [capability.id for capability in CAPABILITIES if capability.state == "available"]
    proof = {"release": settings.RELEASE, "capabilities": proven}
    PROVEN_RELEASE.write_text(json.dumps(proof, indent=2) + "\n")
