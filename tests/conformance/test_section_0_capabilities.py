"""Contract §0 "capabilities" and "Fence": what a deployment says of itself is true."""

import json
from typing import Any

import pytest

from tenancy import capabilities
from tests.client import Api
from tests.factories import make_key

pytestmark = pytest.mark.django_db

NAMED_BY_THE_CONTRACT = {
    "document_surface",
    "versioned_surface",
    "exports",
    "search",
    "sessions",
    "settlement",
    "native_read",
    "native_write",
    "later_rounds",
    "native_recovery",
    "native_erasure",
    "physical_erasure",
    "curation",
    "scheduled_learning",
}


@pytest.fixture
def api(workspace):
    return Api(make_key(workspace)[1])


@pytest.fixture
def proof(tmp_path, monkeypatch):
    """Where the proof of a conformance run would be."""
    place = tmp_path / "proven-release.json"
    monkeypatch.setattr(capabilities, "PROVEN_RELEASE", place)
    capabilities.proven.cache_clear()
    yield place
    capabilities.proven.cache_clear()


def _by_id(api: Api) -> dict[str, dict[str, Any]]:
    return {
        entry["id"]: entry for entry in api.get("/v1/support/capabilities").ok()["capabilities"]
    }


def test_each_capability_of_the_contract_has_an_entry(api, settings):
    body = api.get("/v1/support/capabilities").ok()

    assert body["release"] == settings.RELEASE
    ids = [entry["id"] for entry in body["capabilities"]]
    assert len(ids) == len(set(ids))
    assert set(ids) >= NAMED_BY_THE_CONTRACT
    for entry in body["capabilities"]:
        assert set(entry) == {"id", "posture", "state", "journey", "proven_release", "reason"}
        assert entry["posture"] in {"alpha", "preview", "stable"}
        assert entry["state"] in {"available", "fenced", "unavailable"}


def test_what_is_not_available_says_why(api):
    for entry in _by_id(api).values():
        assert (entry["reason"] is None) == (entry["state"] == "available")


def test_states_are_true_to_the_fence(api, settings):
    open_states = {name: entry["state"] for name, entry in _by_id(api).items()}
    settings.VERSIONED_SURFACE = False
    fenced = _by_id(api)

    assert open_states["versioned_surface"] == "available"
    assert fenced["versioned_surface"]["state"] == "fenced"
    assert "switched" in fenced["versioned_surface"]["reason"]
    assert fenced["document_surface"]["state"] == "available"
    assert fenced["curation"]["state"] == "unavailable"


def test_tenancy_and_capabilities_stand_outside_the_fence(admin_api, settings):
    settings.VERSIONED_SURFACE = False

    for path in ("workspace", "principals", "agents", "api-keys", "audit-entries"):
        assert admin_api.get(f"/v1/{path}").status == 200
    assert admin_api.get("/v1/support/capabilities").status == 200
    assert admin_api.post("/v1/agents", {"name": "A"}).status == 201


def test_nothing_is_proven_without_a_conformance_run(api, proof):
    assert {entry["proven_release"] for entry in _by_id(api).values()} == {None}


def test_what_a_conformance_run_proved_is_told(api, proof):
    proof.write_text(json.dumps({"release": "0.0.9", "capabilities": ["document_surface"]}))

    proven = {name: entry["proven_release"] for name, entry in _by_id(api).items()}

    assert proven["document_surface"] == "0.0.9"
    assert proven["versioned_surface"] is None
