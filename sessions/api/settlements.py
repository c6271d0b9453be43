"""/v1/runs/{id}/settlement: what a Run's turn left in its stores (contract S5)."""

from collections import Counter
from typing import Annotated, Literal, Self, TypedDict, cast

from pydantic import AfterValidator, Field, model_validator
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.changes import NewDocument, each_path_once
from memory.api.fields import Content, DocumentPath, Hash, MediaType, VersionId
from memory.documents.provenance import Provenance
from memory.trees.hashing import parse_hash
from sessions.access import open_session
from sessions.actions.settlements import Settlement, settle_run
from sessions.api.runs import RunStateName
from sessions.models import MOUNTS_AT_MOST
from sessions.queries.runs import NO_SUCH_RUN, find_run
from sessions.turns.captures import Capture, CapturedDocument
from sessions.turns.settling import NewSettlement
from tenancy.api.base import ApiView, caller_of
from wire.errors import (
    Conflict,
    HarnessIncompatible,
    NotFound,
    PolicyDenied,
    RangeTooLarge,
    ReadOnly,
    name_some,
)
from wire.fields import IdOf
from wire.idempotency import require_key
from wire.operations import operation
from wire.parsing import Body, parse_body, parse_path_id

ReaderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:/-]{1,128}$")]
"""What enumerated a tree, by its own name: letters, digits and `_ . : / -`."""
StatusName = Literal["committed", "replayed", "unchanged", "conflict"]


class CapturedInput(Body):
    """A document that was found: its text, or the hash of what the base holds at its path."""

    path: DocumentPath
    content: Content | None = None
    content_sha256: Hash | None = None
    """Instead of `content`, where it is unchanged."""
    media_type: MediaType | None = None
    """The one that the document has, or that its path tells, when left out."""
    provenance: Provenance | None = None

    @model_validator(mode="after")
    def _text_or_hash(self) -> Self:
        if (self.content is None) == (self.content_sha256 is None):
            raise ValueError("either content or content_sha256 is required, and not both")
        if self.content is None and (self.media_type or self.provenance):
            raise ValueError("media_type and provenance go with content")
        return self

    def captured(self) -> CapturedDocument:
        """The document as the action takes it."""
        if self.content_sha256:
            return CapturedDocument(self.path, parse_hash(self.content_sha256))
        written = NewDocument.model_construct(
            content=self.content or "", media_type=self.media_type, provenance=self.provenance
        )
        return CapturedDocument(self.path, written.put())


class CaptureInput(Body):
    """One store, enumerated whole. Documents of the base that are not named were deleted."""

    store: Annotated[str, IdOf("store")]
    base_version: VersionId
    """Where the Session's working ref must still be."""
    complete: Literal[True]
    """That nothing was left out. What could not be enumerated whole is not settled."""
    entry_count: Annotated[int, Field(ge=0)]
    """How many documents there are: as many as are named."""
    reader: ReaderName
    documents: Annotated[list[CapturedInput], AfterValidator(each_path_once)]

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if self.entry_count != len(self.documents):
            raise ValueError(
                f"entry_count says {self.entry_count}, and documents has {len(self.documents)}"
            )
        return self

    def capture(self) -> Capture:
        """The capture as the action takes it."""
        documents = [document.captured() for document in self.documents]
        return Capture(self.store, self.base_version, self.reader, documents)


def _each_store_once(captures: list[CaptureInput]) -> list[CaptureInput]:
    """Refuse two captures of one store."""
    counts = Counter(capture.store for capture in captures)
    repeated = sorted(store for store, count in counts.items() if count > 1)
    if repeated:
        raise ValueError(f"a store is captured at most once: {name_some(repeated)}")
    return captures


class SettleRun(Body):
    """What a turn left behind. Stores that are not named were not changed."""

    captures: Annotated[
        list[CaptureInput], Field(max_length=MOUNTS_AT_MOST), AfterValidator(_each_store_once)
    ]


class SettledStoreOut(TypedDict):
    """What came of one capture. `version` is null when it sealed nothing."""

    store: str
    status: StatusName
    version: str | None
    canonical_advanced: bool


class SettlementOut(TypedDict):
    """What came of a turn; `replayed` when nothing was left to commit."""

    run: str
    state: RunStateName
    results: list[SettledStoreOut]
    replayed: bool


def render_settlement(settlement: Settlement) -> SettlementOut:
    """What came of a turn, on the wire."""
    return {
        "run": settlement.run_id,
        "state": cast("RunStateName", settlement.state.value),
        "results": [
            {
                "store": one.store_id,
                "status": one.status.value,
                "version": one.version_id,
                "canonical_advanced": one.canonical_advanced,
            }
            for one in settlement.results
        ],
        "replayed": settlement.replayed,
    }


class SettlementView(ApiView):
    versioned = True

    @operation(
        "sessions.settleRun",
        summary="Settle a Run",
        body=SettleRun,
        answers={200: SettlementOut},
        errors=(
            NotFound,
            PolicyDenied,
            ReadOnly,
            Conflict,
            HarnessIncompatible,
            RangeTooLarge,
        ),
        idempotency="required",
    )
    def post(self, request: Request, id: str) -> Response:
        """For a runner of the Session's environment. All captures are checked before any store
        changes, then each store commits alone. One that loses in between is `conflict`, and the
        Run `partially_settled`; the same request sent again finishes what can be finished.
        """
        caller = caller_of(request)
        run = find_run(caller, parse_path_id("run", id))
        access = open_session(caller, run.session_id, NO_SUCH_RUN)
        body = parse_body(request, SettleRun)
        key = require_key(request, body.model_dump(mode="json"))
        captures = tuple(capture.capture() for capture in body.captures)
        settlement = settle_run(access=access, wanted=NewSettlement(run, captures, key))
        return Response(render_settlement(settlement))
