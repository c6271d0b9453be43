"""Contract M7: provenance, closed, in its two spellings, and its digest."""

import copy
import hashlib
from typing import Any

import pytest
from pydantic import ValidationError

from memory.documents.provenance import (
    MAX_BYTES,
    ExportedProvenance,
    Provenance,
    live_provenance,
    provenance_sha256,
)
from wire.canonicaljson import canonical_json

HEX = "0190f3a1b2c37d4e8f90a1b2c3d4e5f6"
LIVE: dict[str, Any] = {
    "source_event_ids": [f"evt_{HEX}"],
    "source_version_ids": [f"memver_{HEX}"],
    "source_refs": ["https://example.org/é"],
    "confidence": "observed",
    "valid_from": "2026-08-27T09:30:00.000Z",
    "curation_run": f"mcur_{HEX}",
    "supersedes": {"path": "/old.md", "version": f"memver_{HEX}"},
}
EXPORTED: dict[str, Any] = {
    "source_event_ids": [f"evt_{HEX}"],
    "source_revision_ids": [f"mrev_{HEX}"],
    "source_refs": ["https://example.org/é"],
    "confidence": "observed",
    "valid_from": "2026-08-27T09:30:00.000Z",
    "curation_run": f"mcur_{HEX}",
    "supersedes": {"path": "/old.md", "revision": f"mrev_{HEX}"},
}
LEAST: dict[str, Any] = {
    "source_event_ids": [],
    "source_refs": [],
    "confidence": "uncertain",
    "valid_from": "2026-01-01T00:00:00.000Z",
}


def changed(where: str, value: object) -> dict[str, Any]:
    """The live example with one field set, or left out when the value is `...`."""
    claims = copy.deepcopy(LIVE)
    *outer, name = where.split(".")
    target = claims[outer[0]] if outer else claims
    if value is ...:
        del target[name]
    else:
        target[name] = value
    return claims


def test_both_spellings_say_the_same():
    assert Provenance.model_validate(LIVE).exported() == EXPORTED
    assert live_provenance(EXPORTED) == LIVE


def test_either_prefix_names_a_snapshot():
    mixed = changed("source_version_ids", [f"mrev_{HEX}"])
    mixed["supersedes"]["version"] = f"mrev_{HEX}"
    assert Provenance.model_validate(mixed).exported() == EXPORTED


def test_what_may_be_left_out_is_left_out_again():
    exported = Provenance.model_validate(LEAST | {"source_version_ids": []}).exported()
    assert exported == LEAST | {"source_revision_ids": []}
    assert live_provenance(exported) == LEAST | {"source_version_ids": []}


def test_the_digest_covers_the_exported_spelling():
    canonical = (
        f'{{"confidence":"observed","curation_run":"mcur_{HEX}",'
        f'"source_event_ids":["evt_{HEX}"],"source_refs":["https://example.org/é"],'
        f'"source_revision_ids":["mrev_{HEX}"],'
        f'"supersedes":{{"path":"/old.md","revision":"mrev_{HEX}"}},'
        '"valid_from":"2026-08-27T09:30:00.000Z"}'
    )
    assert provenance_sha256(EXPORTED) == hashlib.sha256(canonical.encode()).digest()


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("source_event_ids", ...),
        ("source_version_ids", ...),
        ("source_refs", ...),
        ("confidence", ...),
        ("valid_from", ...),
        ("source_event_ids", None),
        ("source_event_ids", [f"memver_{HEX}"]),
        ("source_event_ids", [f"evt_{HEX.upper()}"]),
        ("source_event_ids", [f"evt_{HEX}"] * 257),
        ("source_version_ids", ["memver_1"]),
        ("source_version_ids", [f"memver_{HEX}"] * 257),
        ("source_refs", [""]),
        ("source_refs", ["x" * 1_025]),
        ("source_refs", [7]),
        ("source_refs", ["x"] * 257),
        ("source_refs", "x"),
        ("confidence", "certain"),
        ("curation_run", None),
        ("curation_run", f"run_{HEX}"),
        ("supersedes", None),
        ("supersedes.path", "notes/old.md"),
        ("supersedes.version", ...),
        ("supersedes.revision", f"mrev_{HEX}"),
        ("source_revision_ids", []),
        ("note", "unknown"),
        ("valid_from", "2026-08-27"),
        ("valid_from", "2026-08-27T09:30:00Z"),
        ("valid_from", "2026-08-27T09:30:00.000"),
        ("valid_from", "2026-08-27T09:30:00.000+00:00"),
        ("valid_from", "2026-08-27t09:30:00.000Z"),
        ("valid_from", "2026-08-27T09:30:00.000000Z"),
        ("valid_from", "2026-02-30T09:30:00.000Z"),
        ("valid_from", "2026-08-27T24:00:00.000Z"),
        ("valid_from", "2026-08-27T09:30:00.000Z\n"),
        ("valid_from", 1_787_000_000),
    ],
)
def test_refused_and_named(where, value):
    with pytest.raises(ValidationError) as refused:
        Provenance.model_validate(changed(where, value))
    location = [part for part in refused.value.errors()[0]["loc"] if isinstance(part, str)]
    assert ".".join(location) == where


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("source_refs", ["x" * 1_024, "\U0001f600" * 1_024]),
        ("source_refs", ["x"] * 256),
        ("source_event_ids", [f"evt_{HEX}"] * 256),
        ("confidence", "inferred"),
        ("valid_from", "1970-01-01T00:00:00.001Z"),
    ],
)
def test_admitted_at_the_boundary(where, value):
    assert Provenance.model_validate(changed(where, value)).exported()[where] == value


@pytest.mark.parametrize("model", [Provenance, ExportedProvenance])
def test_both_spellings_are_bounded_in_bytes(model):
    claims = (LIVE if model is Provenance else EXPORTED) | {"source_refs": []}
    spelled = len(canonical_json(model.model_validate(claims).exported()))
    refs = ["é" * 1024] * 199 + ["x" * 500]
    refs.append("x" * (MAX_BYTES - spelled - sum(len(ref.encode()) + 3 for ref in refs) - 2))

    assert model.model_validate(claims | {"source_refs": refs}).source_refs == refs
    refs[-1] += "x"
    with pytest.raises(ValidationError, match="409,600"):
        model.model_validate(claims | {"source_refs": refs})
