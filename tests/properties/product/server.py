"""One store of the product, asked by several people."""

from collections.abc import Mapping
from typing import Any

from tests.factories import grant
from tests.oracle.values import Caller, Settings
from tests.properties.people import Person
from tests.properties.product.documents import Documents
from tests.properties.product.erasure import Erasure, finish_job
from tests.properties.product.exports import Exports
from tests.properties.product.proposals import Proposals
from tests.properties.product.requests import body_of
from tests.properties.product.searches import Searches


class Server(Documents, Proposals, Searches, Erasure, Exports):
    """Everything that the oracle can do too."""

    def give(self, caller: Caller) -> None:
        """Grant a caller on this store what the oracle believes they hold."""
        grant(self.people[caller.name].principal, self.id, *caller.permissions)

    def verify(self, caller: Caller) -> dict[str, Any]:
        """What a verification of the whole store finds, by the code that a worker runs."""
        job = body_of(self.api(caller).post(self.url("verifications"), key=None))
        found: dict[str, Any] = finish_job(job["id"])["found"]
        return found


def create_server(people: Mapping[str, Person], creator: Caller, settings: Settings) -> Server:
    """Create a store, and ask about it from then on."""
    principal = people[creator.name].principal
    owner = {"kind": "principal", "id": principal.id}
    if settings.canonical_writes is not None:
        owner = {"kind": "workspace", "id": principal.workspace_id}
    body = {
        "name": "A store",
        "owner": owner,
        "canonical_writes": settings.canonical_writes,
        "self_approval": settings.self_approval,
    }
    store = body_of(people[creator.name].api.post("/v1/memory-stores", body))
    server = Server(people, store["id"])
    server.versions.hear(store["canonical_version"])
    return server
