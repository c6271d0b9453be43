"""Turns that are settled: a capture of a whole store, of which some documents were written."""

from collections import deque
from typing import Any, Final

from uuid_utils.compat import uuid7

from benchmarks import corpus
from benchmarks.counting import queries_of_post
from benchmarks.crew import Crew
from benchmarks.floors import SameInserts
from benchmarks.reads import BARE_VIEW
from benchmarks.sampling import Quantity, Subject
from benchmarks.world import Shelf
from benchmarks.writes import INSERTS
from memory.refs import current
from memory.trees.hashing import content_sha256, spell_hash
from memory.versions.sealing import Put
from sessions.access import open_session
from sessions.actions.settlements import settle_run
from sessions.queries.runs import find_run
from sessions.turns.captures import Capture, CapturedDocument
from sessions.turns.settling import NewSettlement
from sessions.turns.workingrefs import ref_of
from tests.factories import caller_for
from wire.idempotency import IdempotencyKey

CHANGED: Final = 100
"""Documents of a capture that were written; the others go by their hash."""
READER: Final = "benchmarks/1"
OWN_POSITIONS: Final = ("agent_sessions_event",)
"""Rows that are numbered, and so cannot be written once more as they are."""


def settlement(crew: Crew, size: int, turns: int, bare: Subject) -> list[Quantity]:
    """Settle whole captures of a store.

    Args:
        turns: how often each is timed; so many Runs are started beforehand.
    """
    begun = [Turns(crew, crew.shelf(size), turns + 1) for _ in range(3)]
    for_requests, for_actions, for_floor = begun
    text = for_actions.shelf.size
    by_request = Quantity(
        f"Settlement of {CHANGED} changes, HTTP",
        queries={text: for_requests.queries()},
        subjects={text: Subject(for_requests.settle_by_request)},
        floor=BARE_VIEW,
        floors={text: bare},
    )
    again = SameInserts(for_floor.settle, since=for_floor.since, without=OWN_POSITIONS)
    by_action = Quantity(
        f"Settlement of {CHANGED} changes, action",
        {text: Subject(for_actions.settle)},
        floor=INSERTS,
        floors={text: Subject(again)},
    )
    return [by_request, by_action]


class Turns:
    """Turns of one Session, begun beforehand; each of them writes the same documents anew."""

    def __init__(self, crew: Crew, shelf: Shelf, number: int) -> None:
        self.crew, self.shelf = crew, shelf
        self.session = crew.begin([shelf])
        self.since = uuid7()
        self.runs = deque(crew.start(self.session) for _ in range(number))
        self.base = shelf.canonical
        self.written = shelf.paths[:CHANGED]
        self.kept = {path: content_sha256(corpus.text(path)) for path in shelf.paths[CHANGED:]}
        self.api = crew.world.api(crew.runner_secret)

    def settle(self) -> None:
        """Settle the next turn without a request."""
        caller, run_id = caller_for(self.crew.runner), self.runs.popleft()
        access, key = open_session(caller, self.session), IdempotencyKey(uuid7().hex, bytes(32))
        documents = [
            *(CapturedDocument(path, Put(text)) for path, text in self._texts(run_id).items()),
            *(CapturedDocument(path, digest) for path, digest in self.kept.items()),
        ]
        capture = Capture(self.shelf.id, self.base, READER, documents)
        wanted = NewSettlement(find_run(caller, run_id), (capture,), key)
        self.base = settle_run(access=access, wanted=wanted).results[0].version_id or self.base

    def settle_by_request(self) -> None:
        """Settle the next turn as a runner does."""
        address, body = self._request()
        self.base = self.api.post(address, body)["results"][0]["version"]

    def queries(self) -> int:
        """Settle the next turn in this process, and count the statements."""
        address, body = self._request()
        count = queries_of_post(self.crew.world, address, body, secret=self.crew.runner_secret)
        self.base = current(self.shelf.id, ref_of(self.session)).id
        return count

    def _request(self) -> tuple[str, dict[str, Any]]:
        run_id = self.runs.popleft()
        texts = self._texts(run_id)
        documents = [
            *({"path": path, "content": text} for path, text in texts.items()),
            *(
                {"path": path, "content_sha256": spell_hash(digest)}
                for path, digest in self.kept.items()
            ),
        ]
        capture = {
            "store": self.shelf.id,
            "base_version": self.base,
            "complete": True,
            "entry_count": len(documents),
            "reader": READER,
            "documents": documents,
        }
        return f"/v1/runs/{run_id}/settlement", {"captures": [capture]}

    def _texts(self, run_id: str) -> dict[str, str]:
        return {path: f"{run_id}\n{corpus.text(path)}" for path in self.written}
