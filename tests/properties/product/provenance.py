"""Provenance as the product tells it, read back into the oracle's words."""

from collections.abc import Mapping
from typing import Any

from tests.oracle.provenance import Provenance


def live_provenance(claims: Mapping[str, Any] | None) -> Provenance | None:
    """What a document's `provenance` says on the live API."""
    found = claims and _read(claims, "version", "memver_")
    assert not found or found.live() == claims
    return found or None


def exported_provenance(claims: Mapping[str, Any] | None) -> Provenance | None:
    """What it says in an export."""
    found = claims and _read(claims, "revision", "mrev_")
    assert not found or found.exported() == claims
    return found or None


def _read(claims: Mapping[str, Any], word: str, prefix: str) -> Provenance:
    superseded, curation = claims.get("supersedes"), claims.get("curation_run")
    return Provenance(
        claims["confidence"],
        claims["valid_from"],
        events=tuple(event.removeprefix("evt_") for event in claims["source_event_ids"]),
        versions=tuple(one.removeprefix(prefix) for one in claims[f"source_{word}_ids"]),
        refs=tuple(claims["source_refs"]),
        curation=curation and curation.removeprefix("mcur_"),
        supersedes=superseded and (superseded["path"], superseded[word].removeprefix(prefix)),
    )
