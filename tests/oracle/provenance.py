"""Where a text came from, in the oracle: the claims and their two spellings (contract M7)."""

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any


@dataclass(frozen=True)
class Provenance:
    """What the writer of a text claims. Identifiers are kept without their prefixes.

    Attributes:
        supersedes: the path of a document that this one replaces, and the version that holds it.
    """

    confidence: str
    valid_from: str
    events: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    curation: str | None = None
    supersedes: tuple[str, str] | None = None

    def live(self) -> dict[str, Any]:
        """As the live API spells it."""
        return self._spelled("version", "memver_")

    def exported(self) -> dict[str, Any]:
        """As exports spell it."""
        return self._spelled("revision", "mrev_")

    @property
    def sha256(self) -> str:
        """The digest that outlives the claims."""
        spelled = json.dumps(
            self.exported(), sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )
        return f"sha256:{sha256(spelled.encode()).hexdigest()}"

    def _spelled(self, word: str, prefix: str) -> dict[str, Any]:
        claims: dict[str, Any] = {
            "source_event_ids": [f"evt_{event}" for event in self.events],
            f"source_{word}_ids": [f"{prefix}{version}" for version in self.versions],
            "source_refs": list(self.refs),
            "confidence": self.confidence,
            "valid_from": self.valid_from,
        }
        if self.curation is not None:
            claims["curation_run"] = f"mcur_{self.curation}"
        if self.supersedes is not None:
            path, version = self.supersedes
            claims["supersedes"] = {"path": path, word: f"{prefix}{version}"}
        return claims
