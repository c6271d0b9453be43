"""/v1/memory-stores/{id}/change-sets: all-or-nothing writes on one ref (contract R4)."""

from collections import Counter
from typing import Annotated, Literal, Protocol, TypedDict

from pydantic import AfterValidator, Field
from rest_framework.request import Request
from rest_framework.response import Response

from memory.access import open_store
from memory.actions.change_sets import ChangeSet, ChangeSetOutcome, Operation, apply_change_set
from memory.api.fields import Content, DocumentPath, Hash, MediaType, Message, VersionId
from memory.documents.provenance import Provenance, provenance_sha256
from memory.refnaming import RefNaming, parse_ref_name
from memory.trees.hashing import parse_hash, spell_hash
from memory.versions.sealing import Put
from tenancy.api.base import ApiView, caller_of
from wire.errors import Conflict, NotFound, PolicyDenied, RangeTooLarge, ReadOnly, name_some
from wire.idempotency import require_key
from wire.operations import operation
from wire.parsing import Body, parse_body, parse_path_id

MAX_OPERATIONS = 200


class NewDocument(Body):
    """A document's new text."""

    content: Content
    media_type: MediaType | None = None
    """`text/markdown` for a path that ends in .md, else `text/plain`, when left out."""
    provenance: Provenance | None = None

    def put(self) -> Put:
        """The write as actions take it."""
        provenance = self.provenance.exported() if self.provenance else None
        return Put(
            text=self.content,
            media_type=self.media_type,
            provenance=provenance,
            provenance_sha256=provenance_sha256(provenance) if provenance else None,
        )


class PutOperation(NewDocument):
    """Write a document."""

    kind: Literal["put"]
    path: DocumentPath
    expected_sha256: Hash | None
    """The content that is there now; null when there must be no document."""


class DeleteOperation(Body):
    """Delete a document."""

    kind: Literal["delete"]
    path: DocumentPath
    expected_sha256: Hash
    """The content that is there now."""


class AtPath(Protocol):
    """Whatever names one path."""

    path: str


type OperationInput = Annotated[PutOperation | DeleteOperation, Field(discriminator="kind")]


def each_path_once[T: AtPath](changes: list[T]) -> list[T]:
    """Refuse two changes of one path. Raises ValueError."""
    counts = Counter(change.path for change in changes)
    repeated = sorted(path for path, count in counts.items() if count > 1)
    if repeated:
        raise ValueError(f"a path is changed at most once: {name_some(repeated)}")
    return changes


Operations = Annotated[
    list[OperationInput],
    Field(min_length=1, max_length=MAX_OPERATIONS),
    AfterValidator(each_path_once),
]


class CreateChangeSet(Body):
    """Operations that are carried out together or not at all."""

    ref: RefNaming
    base_version: VersionId
    """Where the ref must still be."""
    operations: Operations
    message: Message | None = None

    def change_set(self) -> ChangeSet:
        """The change set as the action takes it."""
        return ChangeSet(
            ref=parse_ref_name(self.ref),
            base_version=self.base_version,
            operations=parse_operations(self.operations),
            message=self.message,
        )


class ChangeSetOut(TypedDict):
    """What a change set did. `version` is null when it altered nothing."""

    version: str | None
    unchanged: bool
    changed_paths: list[str]
    tree_hash: str
    replayed: bool


def parse_operations(operations: list[OperationInput]) -> tuple[Operation, ...]:
    """The operations as actions take them."""
    return tuple(
        Operation(
            path=operation.path,
            change=operation.put() if isinstance(operation, PutOperation) else None,
            expected_sha256=(
                parse_hash(operation.expected_sha256) if operation.expected_sha256 else None
            ),
        )
        for operation in operations
    )


def render_outcome(outcome: ChangeSetOutcome) -> ChangeSetOut:
    """What a change set did, on the wire."""
    return {
        "version": outcome.version_id,
        "unchanged": outcome.unchanged,
        "changed_paths": outcome.changed_paths,
        "tree_hash": spell_hash(outcome.tree_hash),
        "replayed": outcome.replayed,
    }


class ChangeSetsView(ApiView):
    versioned = True

    @operation(
        "memoryStores.createMemoryChangeSet",
        summary="Change several documents at once",
        body=CreateChangeSet,
        answers={200: ChangeSetOut},
        errors=(NotFound, PolicyDenied, ReadOnly, Conflict, RangeTooLarge),
        idempotency="required",
    )
    def post(self, request: Request, id: str) -> Response:
        """On one ref, which must still be at `base_version`; nothing is ever rebased silently."""
        access = open_store(caller_of(request), parse_path_id("store", id))
        body = parse_body(request, CreateChangeSet)
        key = require_key(request, body.model_dump(mode="json"))
        outcome = apply_change_set(access=access, change_set=body.change_set(), key=key)
        return Response(render_outcome(outcome))
