"""Proposals: opening, reading and deciding them."""

from typing import Any

from tests.client import Answer
from tests.oracle.proposals import Handled, NewProposal, Response, Restore, Shown
from tests.oracle.replays import Choices, Clash, Clashes, Merged, Resolution
from tests.oracle.treehash import content_hash
from tests.oracle.values import Caller, Put
from tests.properties.product.histories import Histories
from tests.properties.product.requests import (
    body_of,
    is_replay,
    spell_operation,
    spell_text,
    why_gone,
)


class Proposals(Histories):
    """The Proposals of one store."""

    def create(self, caller: Caller, request: NewProposal, key: str) -> Handled:
        body = {
            "title": request.title,
            "base_version": self.version(request.base),
            **self._spell_head(request.head),
        }
        return self._handled(caller, self.api(caller).post(self.url("proposals"), body, key=key))

    def _spell_head(self, head: Any) -> dict[str, Any]:
        if isinstance(head, Restore):
            return {"restore_version": self.version(head.version)}
        if isinstance(head, int):
            return {"head_version": self.version(head)}
        return {"operations": [spell_operation(operation) for operation in head]}

    def respond(self, caller: Caller, number: int, response: Response, key: str) -> Handled:
        body = {
            "response": response.response,
            "base_version": self.version(response.base),
            "head_version": self.version(response.head),
            "diff_hash": response.diff_hash,
        }
        return self._decide(caller, number, "respond", body, key)

    def repropose(self, caller: Caller, number: int, choices: Choices, key: str) -> Handled:
        body = {
            "canonical_version": self.version(choices.canonical),
            "resolutions": [_spell_resolution(each) for each in choices.resolutions],
        }
        return self._decide(caller, number, "repropose", body, key)

    def list_conflicts(self, caller: Caller, number: int, limit: int = 200) -> Clashes:
        pages = list(self.pages(caller, f"proposals/{self.proposals[number]}/conflicts", limit))
        (canonical,) = {page["canonical_version"] for page in pages}
        rows = [row for page in pages for row in page["data"]]
        return Clashes(self.versions.number(canonical), tuple(map(_clash, rows)))

    def _decide(self, caller: Caller, number: int, how: str, body: Any, key: str) -> Handled:
        address = self.url(f"proposals/{self.proposals[number]}/{how}")
        return self._handled(caller, self.api(caller).post(address, body, key=key))

    def _handled(self, caller: Caller, answer: Answer) -> Handled:
        """A Proposal as a write answers it, which must be what a read answers right after."""
        body = body_of(answer)
        self.proposals.hear(body["id"])
        self.list_versions(caller)  # an inline head was sealed before it could be heard of
        shown = self._shown(body)
        assert self.show(caller, shown.number) == shown
        return Handled(shown, is_replay(answer))

    def show(self, caller: Caller, number: int) -> Shown:
        return self._shown(self.get(caller, f"proposals/{self.proposals[number]}"))

    def list_proposals(
        self, caller: Caller, status: str | None = None, limit: int = 200
    ) -> tuple[Shown, ...]:
        rows = self.rows(caller, "proposals", limit, status=status)
        return tuple(self._shown(row) for row in rows)

    def _shown(self, body: Any) -> Shown:
        return Shown(
            self.proposals.number(body["id"]),
            body["title"],
            self.versions.number(body["base_version"]),
            self.versions.number(body["head_version"]),
            body["diff_hash"],
            body["status"],
            self.actor(body["author"]),
            body["stale"],
            body["can_approve"],
            body["resolution"]["reason"] if body["resolution"] else None,
            self.proposals.maybe_number(body["replaces"]),
            self.proposals.maybe_number(body["replaced_by"]),
        )


def _spell_resolution(choice: Resolution) -> dict[str, Any]:
    spelled: dict[str, Any] = {"path": choice.path, "take": choice.take}
    if choice.take == "merge":
        spelled["content_sha256"] = choice.sha256
    if choice.take == "content":
        put = Put(choice.path, choice.text, choice.media_type, provenance=choice.provenance)
        spelled |= spell_text(put)
    return spelled


def _clash(row: Any) -> Clash:
    return Clash(
        row["path"],
        _side(row["base"]),
        _side(row["canonical"]),
        _side(row["proposal"]),
        tuple(row["blocked_by"]),
        row["merge"] and _merged(row["merge"]),
        row["no_merge"],
    )


def _side(side: Any) -> tuple[str, str | None] | None:
    return side and (side["content_sha256"], why_gone(side["erased"]))


def _merged(merge: Any) -> Merged:
    text, conflicts = merge["content"], merge["conflicts"]
    assert merge["content_sha256"] == content_hash(text)
    return Merged(None if conflicts else text, merge["media_type"], conflicts)
