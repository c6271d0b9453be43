"""/v1/memory-stores/{id}/fork: a version as a store of its own (contract F1)."""

from typing import TypedDict

from rest_framework.request import Request
from rest_framework.response import Response

from memory.access import open_store
from memory.actions.forks import Fork, fork_store
from memory.actions.stores import StoreSettings
from memory.api.fields import Description, VersionId
from memory.api.stores import OwnerInput
from memory.trees.hashing import spell_hash
from tenancy.api.base import ApiView, caller_of
from wire.errors import Conflict, NotFound, PolicyDenied, RangeTooLarge
from wire.fields import Name
from wire.idempotency import require_key
from wire.operations import operation
from wire.parsing import Body, parse_body, parse_path_id


class ForkStore(Body):
    """What to copy, and the store to make of it."""

    source_version: VersionId
    """The exact version whose tree is copied."""
    name: Name
    owner: OwnerInput
    description: Description = ""

    def fork(self) -> Fork:
        """The fork as the action takes it."""
        settings = StoreSettings(
            name=self.name, owner=self.owner.owner(), description=self.description
        )
        return Fork(self.source_version, settings)


class ForkOut(TypedDict):
    """A store that began as a copy, and its one version."""

    store: str
    version: str
    tree_hash: str
    replayed: bool


class ForkView(ApiView):
    versioned = True

    @operation(
        "memoryStores.forkMemoryStore",
        summary="Fork a version into a new store",
        body=ForkStore,
        answers={201: ForkOut},
        errors=(NotFound, PolicyDenied, Conflict, RangeTooLarge),
        idempotency="required",
    )
    def post(self, request: Request, id: str) -> Response:
        """The new store begins with the same tree, texts of its own, and no history.

        Each text keeps its own expiry or gets the policy's, whichever is earlier. A version with
        an erased text is not forked.
        """
        access = open_store(caller_of(request), parse_path_id("store", id))
        body = parse_body(request, ForkStore)
        key = require_key(request, body.model_dump(mode="json"))
        forked = fork_store(access=access, fork=body.fork(), key=key)
        answer: ForkOut = {
            "store": forked.store_id,
            "version": forked.version_id,
            "tree_hash": spell_hash(forked.tree_hash),
            "replayed": forked.replayed,
        }
        return Response(answer, status=201)
