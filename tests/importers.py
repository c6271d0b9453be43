"""Imports through the API, the work of workers included."""

from typing import Any, Final

from jobs.runner import run_slice
from tenancy.models import Workspace
from tests.client import Answer, Api
from tests.factories import make_key, make_person

IMPORTS: Final = "/v1/memory-store-imports"


class Importer:
    """Imports for a person's own stores."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.owner = make_person(workspace)
        self.api = Api(make_key(workspace, principal=self.owner)[1])

    def begin(self, **more: Any) -> str:
        body = {"name": "Imported", "owner": {"kind": "principal", "id": self.owner.id}, **more}
        return str(self.api.post(IMPORTS, body).ok(201)["store"])

    def put(self, store: str, ordinal: int, body: Any) -> Answer:
        return self.api.put(f"{IMPORTS}/{store}/pages/{ordinal}", body, key=None)

    def complete(self, store: str, **more: Any) -> Answer:
        return self.api.post(f"{IMPORTS}/{store}/complete", **more)

    def get(self, store: str) -> Any:
        return self.api.get(f"{IMPORTS}/{store}").ok()

    def run(self, *bodies: Any) -> Any:
        """Import pages, or one whole export, to whatever end."""
        store = self.begin()
        for ordinal, body in enumerate(bodies):
            self.put(store, ordinal, body).ok()
        job = self.complete(store).ok(202)["job"]
        work(job)
        return self.get(store)


def work(job: str) -> None:
    """Do a job to its end, as workers do."""
    while run_slice(job, seconds=0):
        pass
