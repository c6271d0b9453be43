"""Sessions that begin with many mounts."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from benchmarks.counting import queries_of_post
from benchmarks.crew import Crew
from benchmarks.floors import SameInserts
from benchmarks.reads import BARE_VIEW
from benchmarks.sampling import Quantity, Subject
from benchmarks.world import Api, Shelf, World
from benchmarks.writes import INSERTS

SESSIONS: Final = "/v1/sessions"
DOCUMENTS: Final = 100
"""In each store that is mounted."""


def session_start(crew: Crew, mounts: Sequence[int], bare: Subject) -> list[Quantity]:
    """Making a Session and starting its first Run, which makes a working ref in every store."""
    world = crew.world
    shelves = [crew.shelf(DOCUMENTS) for _ in range(max(mounts))]
    some = {f"{number} mounts": shelves[:number] for number in mounts}
    by_request = Quantity("Start of a Session, HTTP", floor=BARE_VIEW)
    by_action = Quantity("Start of a Session, action", floor=INSERTS)
    for size, mounted in some.items():
        body = _session(crew, mounted)
        by_request.queries[size] = _queries_of_start(world, body)
        by_request.subjects[size] = Subject(_start_by_request(world.api(), body))
        by_request.floors[size] = bare
        by_action.subjects[size] = Subject(_start_alone(crew, mounted))
        by_action.floors[size] = Subject(SameInserts(_start_alone(crew, mounted)))
    return [by_request, by_action]


def _session(crew: Crew, shelves: Sequence[Shelf]) -> dict[str, Any]:
    mounts = [{"store": shelf.id, "access": "read_write"} for shelf in shelves]
    return {"agent": crew.agent.id, "environment": crew.environment.id, "mounts": mounts}


def _queries_of_start(world: World, body: Any) -> int:
    session = world.api().post(SESSIONS, body)["id"]
    begun = queries_of_post(world, f"{SESSIONS}/{session}/runs", {})
    return queries_of_post(world, SESSIONS, body) + begun


def _start_by_request(api: Api, body: Any) -> Callable[[], object]:
    def start() -> object:
        session = api.post(SESSIONS, body)["id"]
        return api.post(f"{SESSIONS}/{session}/runs", {})

    return start


def _start_alone(crew: Crew, shelves: Sequence[Shelf]) -> Callable[[], object]:
    return lambda: crew.start(crew.begin(shelves))
