"""/v1/memory-stores/{id}/redactions: erasing paths in every version, for ever (contract X1)."""

from dataclasses import asdict
from typing import Annotated, TypedDict, cast

from drf_spectacular.utils import OpenApiParameter
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from memory.access import open_store
from memory.actions.redactions import redact
from memory.api.fields import DocumentPath
from memory.api.replays import REPLAYED_HEADER, replay_headers
from tenancy.api.base import ApiView, caller_of
from wire.errors import Conflict, NotFound, PolicyDenied
from wire.idempotency import require_key
from wire.operations import operation
from wire.parsing import Body, parse_body, parse_path_id

MOST_PATHS = 100


class RedactPaths(Body):
    """Paths to erase, whether the store holds a document there or not."""

    paths: Annotated[list[DocumentPath], Field(min_length=1, max_length=MOST_PATHS)]


class RedactionOut(TypedDict):
    """What a redaction took away: counts, and nothing that would tell what it was.

    `version_count`: versions whose tree held one of the paths. `path_count`: those of the paths
    at which there ever was a document. `hash_count`: distinct contents that were erased.
    """

    version_count: int
    path_count: int
    hash_count: int


REPORT_HEADER = OpenApiParameter(
    "Location",
    {"type": "string"},
    OpenApiParameter.HEADER,
    response=[200],
    description="The erasure report.",
)


class RedactionsView(ApiView):
    versioned = True

    @operation(
        "memoryStores.redactMemoryPaths",
        summary="Redact paths",
        body=RedactPaths,
        answers={200: RedactionOut},
        errors=(NotFound, PolicyDenied, Conflict),
        idempotency="required",
        headers=(REPLAYED_HEADER, REPORT_HEADER),
    )
    def post(self, request: Request, id: str) -> Response:
        """Erases the paths in every version and fences them for ever. Needs an admin key.

        Canonical and each working ref that held one move to a `redaction` version without them;
        open Proposals that touch one become `superseded`. An archived store can be redacted, too.
        The paths themselves stay in the history, and copies at other paths are not looked for.
        """
        access = open_store(caller_of(request), parse_path_id("store", id))
        body = parse_body(request, RedactPaths)
        key = require_key(request, body.model_dump(mode="json"))
        redacted = redact(access=access, paths=body.paths, key=key)
        report = {"Location": f"/v1/erasure-reports/{redacted.report_id}"}
        headers = replay_headers(replayed=redacted.replayed) | report
        answer = cast("RedactionOut", asdict(redacted.counts))
        return Response(answer, headers=headers)
