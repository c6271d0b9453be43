"""What a verification found: how much was looked at, and what differs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Self

NAMED_AT_MOST: Final = 20


class Finding(NamedTuple):
    """One thing that is not as it should be: a closed word for what, and whose it is."""

    what: str
    id: str


@dataclass(slots=True)
class Report:
    """What was looked at and found so far; JSON between two batches."""

    checked: dict[str, int] = field(default_factory=dict)
    found: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Self:
        """The report that `as_json` spelled; an empty one of nothing."""
        found = {what: dict(entry) for what, entry in stored.get("found", {}).items()}
        return cls(dict(stored.get("checked", {})), found)

    def as_json(self) -> dict[str, Any]:
        """The report as a job's result has it."""
        return {"differences": self.differences, "checked": self.checked, "found": self.found}

    def count(self, part: str, rows: int) -> None:
        """Note that rows of some kind were looked at."""
        self.checked[part] = self.checked.get(part, 0) + rows

    def add(self, findings: Iterable[Finding]) -> None:
        """Count findings, and keep the first twenty identifiers of each kind."""
        for finding in findings:
            entry = self.found.setdefault(finding.what, {"count": 0, "ids": []})
            entry["count"] += 1
            if len(entry["ids"]) < NAMED_AT_MOST:
                entry["ids"].append(finding.id)

    @property
    def differences(self) -> int:
        """How many things are not as they should be."""
        return sum(entry["count"] for entry in self.found.values())
