"""/v1/rounds/{id}/mounts/{mount}: what a round reads, and nothing newer (contract S6)."""

from rest_framework.request import Request

from memory.api.documents import DocumentOut, PathQuery, render_document
from memory.api.fields import Prefix
from memory.api.publishing import Published
from memory.api.trees import DocumentListingOut, acquire_entries, render_entry
from memory.publication import Acquired
from memory.queries.documents import list_documents, read_document
from sessions.access import open_session
from sessions.api.publishing import publish_use
from sessions.queries.rounds import NO_SUCH_ROUND, find_round
from sessions.turns.native import Use, open_use, require_open
from tenancy.api.base import ApiView, caller_of
from wire.errors import AuthorizationUnavailable, Conflict, NotFound, PolicyDenied, ReadOnly
from wire.operations import operation
from wire.paging import PagedQuery, decode_page, page_of
from wire.parsing import parse_path_id, parse_query

READ_ERRORS = (NotFound, PolicyDenied, ReadOnly, Conflict, AuthorizationUnavailable)


class RoundDocumentsQuery(PagedQuery):
    """Which part of the tree."""

    prefix: Prefix | None = None
    """Only what is in this directory (`/notes/`), or the document or directory of this name."""


def _open[Q: PathQuery | RoundDocumentsQuery](
    request: Request, round_id: str, mount: int, wanted: type[Q]
) -> tuple[Use, Q]:
    """Open a mount of a round that is going on."""
    caller = caller_of(request)
    found = find_round(caller, parse_path_id("round", round_id))
    access = open_session(caller, found.input.session_id, NO_SUCH_ROUND)
    query = parse_query(request, wanted)
    use = open_use(access, found, mount)
    require_open(use)
    return use, query


class RoundDocumentView(ApiView):
    versioned = True

    @operation(
        "sessions.readRoundDocument",
        summary="Read a document in a round",
        query=PathQuery,
        answers={200: DocumentOut},
        errors=READ_ERRORS,
    )
    def get(self, request: Request, id: str, mount: int) -> Published:
        """At the version that the round reads. For the Session's agent, a runner of its
        environment, or the acting principal; principal and agent both need `read`.
        """
        use, query = _open(request, id, mount, PathQuery)
        document = read_document(use.store.store_id, query.path, use.planned.version)
        answer = render_document(document)
        acquired = Acquired(
            use.store, [document.document_id], expires_at=document.expires_at, whole=True
        )
        return publish_use(use, answer, acquired)


class RoundDocumentsView(ApiView):
    versioned = True

    @operation(
        "sessions.listRoundDocuments",
        summary="List the documents that a round reads",
        query=RoundDocumentsQuery,
        answers={200: DocumentListingOut},
        errors=READ_ERRORS,
    )
    def get(self, request: Request, id: str, mount: int) -> Published:
        """In the order of their paths' bytes; for whom reading a document is."""
        use, query = _open(request, id, mount, RoundDocumentsQuery)
        after = decode_page(query.page, str)
        found = list_documents(
            use.planned.version,
            prefix=query.prefix or "",
            after=after[0] if after else None,
            limit=query.limit + 1,
        )
        shown, next_page = page_of(found, query.limit, lambda entry: (entry.path,))
        answer: DocumentListingOut = {
            "store": use.store.store_id,
            "version": use.planned.version,
            "data": [render_entry(entry) for entry in shown],
            "next_page": next_page,
        }
        return publish_use(use, answer, acquire_entries(use.store, shown))
