"""Histories: versions, refs, what moved and what differs; and how the store is governed."""

from datetime import datetime
from typing import Any

from django.db import transaction

from memory import refs
from memory.actors import actor_of
from memory.models import RefKind
from memory.stores import bump_generation
from tests.factories import caller_for
from tests.oracle.store import by_ref
from tests.oracle.values import Caller, Change, Diff, RefMove, RefName, Sealed, Step
from tests.properties.product.requests import Requests, body_of, why_gone
from wire.ids import new_id


class Histories(Requests):
    """The history of one store."""

    def move(self, name: RefName, to: int, caller: Caller) -> None:
        """Make a Session's ref, as opening the Session will."""
        self.sessions.hear(session := new_id("session"))
        assert self.sessions.number(session) == name.owner
        with transaction.atomic():
            refs.create(
                store_id=self.id,
                name=refs.RefName(RefKind.SESSION, session),
                at=self.versions[to],
                actor=actor_of(caller_for(self.people[caller.name].key)),
            )
            bump_generation(self.id)

    def change_settings(self, caller: Caller, version: int, **changes: Any) -> int:
        if "archived" in changes:
            changes["lifecycle"] = "archived" if changes.pop("archived") else "active"
        answer = self.api(caller).patch(self.url(), {"version": version, **changes})
        return int(body_of(answer)["version"])

    def list_versions(self, caller: Caller, limit: int = 200) -> tuple[Sealed, ...]:
        return tuple(self._sealed(row) for row in self.rows(caller, "versions", limit))

    def _sealed(self, row: Any) -> Sealed:
        return Sealed(
            self.versions.hear(row["id"]),
            self.versions.maybe_number(row["parent_version"]),
            row["kind"],
            self.actor(row["actor"]),
            row["message"],
            datetime.fromisoformat(row["created_at"]),
            row["document_count"],
            row["total_bytes"],
            row["tree_hash"],
        )

    def list_refs(self, caller: Caller, limit: int = 200) -> frozenset[tuple[RefName, int]]:
        rows = self.rows(caller, "refs", limit)
        return frozenset((self.ref_name(row), self.versions.number(row["version"])) for row in rows)

    def list_moves(self, caller: Caller, limit: int = 200) -> dict[RefName, list[RefMove]]:
        return by_ref(
            RefMove(
                self.ref_name(row["ref"]),
                self.versions.maybe_number(row["before"]),
                self.versions.maybe_number(row["after"]),
                self.actor(row["actor"]),
                datetime.fromisoformat(row["at"]),
            )
            for row in self.rows(caller, "reflog", limit)
        )

    def diff(self, caller: Caller, base: int, head: int, limit: int = 200) -> Diff:
        ends = {"base": self.version(base), "head": self.version(head)}
        pages = list(self.pages(caller, "diff", limit, **ends))
        rows = [row for page in pages for row in page["data"]]
        changes = tuple(_change(row) for row in rows)
        for status, total in pages[0]["totals"].items():
            assert total == sum(change.status == status for change in changes)
        return Diff(pages[0]["diff_hash"], changes)

    def history(
        self, caller: Caller, path: str, version: int | None = None, limit: int = 200
    ) -> tuple[Step, ...]:
        rows = self.rows(caller, "history", limit, path=path, version=self.version(version))
        return tuple(
            Step(
                self.versions.number(row["version"]),
                row["change"],
                row["content_sha256"],
                why_gone(row["erased"]),
            )
            for row in rows
        )


def _change(row: Any) -> Change:
    before, after = row["before"], row["after"]
    erased = (before and why_gone(before["erased"]), after and why_gone(after["erased"]))
    assert (row["lines"] is None) == any(erased)
    return Change(row["status"], row["path"], row["old_path"], erased)
