"""What this deployment can do, said truly (contract §0 "capabilities").

One table. A capability is fenced while the operator switches the versioned surface off; what is
not built says so. Which release was proven is read from the file that a conformance run writes.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import orjson
from django.conf import settings

PROVEN_RELEASE: Final = Path(settings.BASE_DIR) / "docs" / "proven-release.json"
"""{"release": …, "capabilities": […]}; `pytest tests/conformance --prove` writes it."""

Posture = Literal["alpha", "preview", "stable"]
State = Literal["available", "fenced", "unavailable"]

FENCED: Final = "The operator has switched the versioned surface off on this deployment."


@dataclass(frozen=True, slots=True)
class Capability:
    """Something that a client may rely on, or not yet.

    Attributes:
        journey: the evidence that a conformance run has to bring for it.
        versioned: whether the fence closes it.
        missing: why it is unavailable in this release; None when it is built.
    """

    id: str
    posture: Posture
    journey: str
    versioned: bool = True
    missing: str | None = None

    @property
    def state(self) -> State:
        """What a client finds now."""
        if self.missing:
            return "unavailable"
        return "fenced" if self.versioned and not settings.VERSIONED_SURFACE else "available"

    @property
    def reason(self) -> str | None:
        """Why it is not available; None when it is."""
        return {"unavailable": self.missing, "fenced": FENCED, "available": None}[self.state]

    @property
    def proven_release(self) -> str | None:
        """The release for which a whole conformance run passed, or None."""
        proof = proven()
        return str(proof["release"]) if self.id in proof.get("capabilities", ()) else None


LATER: Final = "Not part of this release; it arrives in a later one."

CAPABILITIES: Final = (
    Capability("document_surface", "preview", "memory-stores", versioned=False),
    Capability("versioned_surface", "preview", "memory-stores"),
    Capability("proposals", "preview", "proposals"),
    Capability("jobs", "preview", "jobs", versioned=False),
    Capability("verification", "preview", "jobs"),
    Capability("exports", "preview", "exports"),
    Capability("imports", "preview", "exports"),
    Capability("search", "preview", "search"),
    Capability("sessions", "preview", "sessions"),
    Capability("settlement", "preview", "settlement"),
    Capability("native_read", "alpha", "native-memory"),
    Capability("native_write", "alpha", "native-memory"),
    Capability("later_rounds", "alpha", "native-memory"),
    Capability("native_recovery", "alpha", "native-memory"),
    Capability("native_erasure", "alpha", "erasure"),
    Capability("physical_erasure", "alpha", "erasure"),
    Capability("curation", "alpha", "curation", missing=LATER),
    Capability("scheduled_learning", "alpha", "scheduled-learning", missing=LATER),
)


@cache
def proven() -> dict[str, Any]:
    """What the last whole conformance run proved; empty when there was none."""
    try:
        return dict(orjson.loads(PROVEN_RELEASE.read_bytes()))
    except FileNotFoundError:
        return {}
