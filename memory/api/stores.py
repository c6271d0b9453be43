"""/v1/memory-stores: stores and their settings (contract M1, M6)."""

from typing import Annotated, Literal, TypedDict, cast

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from jobs.api.jobs import JobOut, render_job
from memory.access import KnownStore, listable_stores, open_store
from memory.actions.deletion import delete_store
from memory.actions.stores import Owner, StoreChanges, StoreSettings, change_store, create_store
from memory.api.fields import (
    CanonicalWritesName,
    Description,
    LifecycleName,
    Metadata,
    OwnerId,
    OwnerKindName,
    SelfApprovalName,
)
from memory.api.replays import REPLAYED_HEADER, replay_headers
from memory.models import CanonicalWrites, Lifecycle, MemoryStore, OwnerKind, SelfApproval
from tenancy.api.base import ApiView, caller_of
from wire.errors import Conflict, NotFound, PolicyDenied
from wire.fields import Name
from wire.idempotency import optional_key
from wire.ids import kind_among
from wire.operations import Listing, operation
from wire.paging import PagedQuery, list_body, newest_first
from wire.parsing import Body, KindAndId, parse_body, parse_nothing, parse_path_id, parse_query
from wire.times import render_time

OWNER_KINDS = tuple(OwnerKind.values)


class OwnerInput(KindAndId):
    """Who decides a store's lifecycle and default grants, never who has access."""

    kind: OwnerKindName

    def owner(self) -> Owner:
        """The owner as actions take it."""
        return Owner(OwnerKind(self.kind), self.id)


class CreateStore(Body):
    """A new store. It begins with an empty version."""

    owner: OwnerInput
    name: Name
    description: Description = ""
    canonical_writes: CanonicalWritesName | None = None
    """How canonical of a shared store moves; `review` when left out."""
    self_approval: SelfApprovalName = "denied"
    """Whether the author of a Proposal may approve it."""
    metadata: Metadata = Field(default_factory=dict)

    def settings(self) -> StoreSettings:
        """The settings as the action takes them."""
        writes = self.canonical_writes
        return StoreSettings(
            name=self.name,
            owner=self.owner.owner(),
            description=self.description,
            canonical_writes=CanonicalWrites(writes) if writes else None,
            self_approval=SelfApproval(self.self_approval),
            metadata=self.metadata,
        )


class ChangeStore(Body):
    """New values; what is left out stays."""

    version: Annotated[int, Field(ge=1)]
    """The store's own `version` that the change was made from."""
    name: Name | None = None
    description: Description | None = None
    metadata: Metadata | None = None
    """All of it: what is not named here goes."""
    lifecycle: Literal["active", "archived"] | None = None
    canonical_writes: CanonicalWritesName | None = None
    self_approval: SelfApprovalName | None = None

    def changes(self) -> StoreChanges:
        """The changes as the action takes them."""
        return StoreChanges(
            name=self.name,
            description=self.description,
            metadata=self.metadata,
            lifecycle=Lifecycle(self.lifecycle) if self.lifecycle else None,
            canonical_writes=(
                CanonicalWrites(self.canonical_writes) if self.canonical_writes else None
            ),
            self_approval=SelfApproval(self.self_approval) if self.self_approval else None,
        )


class StoresQuery(PagedQuery):
    """Which stores to list."""

    owner: OwnerId | None = None
    """Only those of this owner."""
    lifecycle: Literal["pending", "active", "archived"] | None = None
    """Only those in this state."""


class OwnerOut(TypedDict):
    """Who decides a store's lifecycle and default grants."""

    kind: OwnerKindName
    id: str


class MemoryStoreOut(TypedDict):
    """One ownership, history and visibility boundary."""

    id: str
    workspace: str
    name: str
    description: str
    owner: OwnerOut
    canonical_writes: CanonicalWritesName | None
    self_approval: SelfApprovalName
    metadata: dict[str, str]
    version: int
    generation: int
    lifecycle: LifecycleName
    canonical_version: str | None
    document_count: int
    total_bytes: int
    created_at: str
    updated_at: str


def render_owner(store: MemoryStore) -> OwnerOut:
    """Who owns a store."""
    return {"kind": cast("OwnerKindName", store.owner_kind), "id": store.owner_id}


def render_store(store: KnownStore) -> MemoryStoreOut:
    """A store with what canonical holds."""
    return {
        "id": store.id,
        "workspace": store.workspace_id,
        "name": store.name,
        "description": store.description,
        "owner": render_owner(store),
        "canonical_writes": cast("CanonicalWritesName | None", store.canonical_writes),
        "self_approval": cast("SelfApprovalName", store.self_approval),
        "metadata": store.metadata,
        "version": store.version,
        "generation": store.generation,
        "lifecycle": cast("LifecycleName", store.lifecycle),
        "canonical_version": store.canonical_id,
        "document_count": store.document_count or 0,
        "total_bytes": store.total_bytes or 0,
        "created_at": render_time(store.created_at),
        "updated_at": render_time(store.updated_at),
    }


class StoresView(ApiView):
    @operation(
        "memoryStores.listMemoryStores",
        summary="List stores",
        query=StoresQuery,
        answers={200: Listing[MemoryStoreOut]},
    )
    def get(self, request: Request) -> Response:
        """Those that the caller may read, newest first; an admin key sees that all exist."""
        caller = caller_of(request)
        query = parse_query(request, StoresQuery)
        stores = listable_stores(caller)
        if query.owner:
            kind = kind_among(OWNER_KINDS, query.owner)
            stores = stores.filter(owner_kind=kind, owner_uuid=query.owner)
        if query.lifecycle:
            stores = stores.filter(lifecycle=query.lifecycle)
        rows, next_page = newest_first(stores, query)
        return Response(list_body([render_store(row) for row in rows], next_page))

    @operation(
        "memoryStores.createMemoryStore",
        summary="Make a store",
        body=CreateStore,
        answers={201: MemoryStoreOut},
        errors=(PolicyDenied, NotFound, Conflict),
        idempotency="optional",
        headers=(REPLAYED_HEADER,),
    )
    def post(self, request: Request) -> Response:
        """For oneself, or with `read` and `write` on the Workspace or an admin key for any owner.

        The owner is granted `read` and `write`, except a Workspace, which is granted nothing.
        """
        caller = caller_of(request)
        body = parse_body(request, CreateStore)
        key = optional_key(request, body.model_dump(mode="json"))
        created = create_store(caller=caller, settings=body.settings(), key=key)
        access = open_store(caller, created.store_id)
        access.require_known()
        headers = replay_headers(replayed=created.replayed)
        return Response(render_store(access.store), status=201, headers=headers)


class StoreView(ApiView):
    def is_fenced(self, request: Request) -> bool:
        return request.method == "DELETE"

    @operation(
        "memoryStores.getMemoryStore",
        summary="Get a store",
        answers={200: MemoryStoreOut},
        errors=(NotFound,),
    )
    def get(self, request: Request, id: str) -> Response:
        """Its settings, and what canonical holds."""
        access = open_store(caller_of(request), parse_path_id("store", id))
        parse_nothing(request)
        access.require_known()
        return Response(render_store(access.store))

    @operation(
        "memoryStores.changeMemoryStore",
        summary="Change or archive a store",
        body=ChangeStore,
        answers={200: MemoryStoreOut},
        errors=(NotFound, PolicyDenied, Conflict),
    )
    def patch(self, request: Request, id: str) -> Response:
        """Each change counts the store's `version` up; document writes do not.

        The owning principal may change name, description, metadata and lifecycle; all else
        needs `admin`.
        """
        access = open_store(caller_of(request), parse_path_id("store", id))
        body = parse_body(request, ChangeStore)
        changed = change_store(access=access, version=body.version, changes=body.changes())
        return Response(render_store(changed.store))

    @operation(
        "memoryStores.deleteMemoryStore",
        summary="Delete a store",
        answers={202: JobOut},
        errors=(NotFound, PolicyDenied),
    )
    def delete(self, request: Request, id: str) -> Response:
        """Closes the store at once and for good; a job then deletes all that it holds.

        Needs an admin key. Asked again, it answers the same job.
        """
        access = open_store(caller_of(request), parse_path_id("store", id))
        parse_nothing(request)
        return Response(render_job(delete_store(access=access)), status=202)
