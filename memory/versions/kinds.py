"""The kinds of versions, as the wire and exports name them (contract M3)."""

from typing import Literal

VersionKindName = Literal[
    "initial", "direct", "session_checkpoint", "curation", "proposal", "redaction", "import"
]
