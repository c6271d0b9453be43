"""/v1/memory-stores/{id}/proposals/{proposal}/comments (contract P6)."""

from datetime import datetime
from typing import Annotated, Literal, Self, TypedDict, cast

from pydantic import Field, model_validator
from rest_framework.request import Request
from rest_framework.response import Response

from memory.access import StoreAccess
from memory.actornaming import Actor, render_actor
from memory.api.fields import DocumentPath
from memory.api.publishing import Published, publish
from memory.api.replays import REPLAYED_HEADER, replay_headers
from memory.api.trees import ErasureOut, render_redaction
from memory.publication import Acquired
from proposals.actions.comments import (
    NewComment,
    add_comment,
    delete_comment,
    edit_comment,
    settle_thread,
)
from proposals.api.fetching import fetch_proposal
from proposals.models import Comment, CommentSide
from proposals.publication import comments_held
from proposals.queries.comments import comments_on, get_comment
from proposals.queries.places import Place
from tenancy.api.base import ApiView
from wire.errors import (
    AuthorizationUnavailable,
    Conflict,
    NotFound,
    PolicyDenied,
    RangeTooLarge,
    ReadOnly,
)
from wire.fields import IdOf
from wire.idempotency import require_key
from wire.operations import Listing, operation
from wire.paging import PagedQuery, list_body, newest_first
from wire.parsing import Body, parse_body, parse_nothing, parse_path_id, parse_query
from wire.times import render_time

type SideName = Literal["base", "head"]

CommentText = Annotated[str, Field(min_length=1, max_length=4_096, pattern=r"\S")]


class AddComment(Body):
    """A reply names its thread. What begins one is about the Proposal, or names a place."""

    text: CommentText
    thread: Annotated[str, IdOf("comment")] | None = None
    """The comment that it replies to: one that is no reply itself."""
    path: DocumentPath | None = None
    """A document that the Proposal changes, as that side has it."""
    side: SideName = "head"
    line: Annotated[int, Field(ge=1)] | None = None
    """A line of that document, from 1; the whole document when left out."""

    @model_validator(mode="after")
    def _placed(self) -> Self:
        if self.path is None and {"side", "line"} & self.model_fields_set:
            raise ValueError("path: a side or a line is of a document; name it")
        return self

    def comment(self) -> NewComment:
        """The comment as the action takes it."""
        side = CommentSide(self.side)
        place = Place(self.path, side, self.line) if self.path is not None else None
        return NewComment(self.text, place, self.thread)


class EditComment(Body):
    text: CommentText


class SettleThread(Body):
    resolved: bool


class ThreadResolutionOut(TypedDict):
    """Who marked a thread as resolved, and when."""

    by: Actor
    at: str


class CommentOut(TypedDict):
    """Words about a Proposal, a document of it, or a line of one.

    `text` is null once its author deleted it, or a redaction erased it. `version`, `path`, `side`
    and `line` never change: they mean what they meant when it was written. A reply has none.
    """

    id: str
    proposal: str
    thread: str | None
    version: str | None
    path: str | None
    side: SideName | None
    line: int | None
    text: str | None
    author: Actor
    created_at: str
    edited_at: str | None
    deleted_at: str | None
    erased: ErasureOut | None
    resolved: ThreadResolutionOut | None


class CommentsView(ApiView):
    versioned = True

    @operation(
        "memoryStores.listMemoryProposalComments",
        summary="List a Proposal's comments",
        query=PagedQuery,
        answers={200: Listing[CommentOut]},
        errors=(NotFound, PolicyDenied, Conflict, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str, proposal: str) -> Published:
        """Newest first, replies among them: `thread` says to what. Needs `read`."""
        access, proposal_id = fetch_proposal(request, id, proposal)
        query = parse_query(request, PagedQuery)
        access.require_content()
        shown, next_page = newest_first(comments_on(proposal_id), query)
        return _publish(access, shown, list_body([_render(row) for row in shown], next_page))

    @operation(
        "memoryStores.addMemoryProposalComment",
        summary="Comment on a Proposal",
        body=AddComment,
        answers={201: CommentOut},
        errors=(NotFound, PolicyDenied, ReadOnly, Conflict, RangeTooLarge),
        idempotency="required",
        headers=(REPLAYED_HEADER,),
    )
    def post(self, request: Request, id: str, proposal: str) -> Response:
        """On all of it, on a document, or on a line of either side. Decides nothing.

        Needs `read`, and `review` or `write`. Also of a Proposal that is resolved.
        """
        access, proposal_id = fetch_proposal(request, id, proposal)
        body = parse_body(request, AddComment)
        key = require_key(request, body.model_dump(mode="json"))
        done = add_comment(access=access, proposal_id=proposal_id, comment=body.comment(), key=key)
        answer = _render(get_comment(proposal_id, done.comment_id))
        return Response(answer, status=201, headers=replay_headers(replayed=done.replayed))


class CommentView(ApiView):
    versioned = True

    @operation(
        "memoryStores.getMemoryProposalComment",
        summary="Read a comment",
        answers={200: CommentOut},
        errors=(NotFound, PolicyDenied, Conflict, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str, proposal: str, comment: str) -> Published:
        access, found = _open(request, id, proposal, comment)
        parse_nothing(request)
        access.require_content()
        return _publish(access, [found], _render(found))

    @operation(
        "memoryStores.editMemoryProposalComment",
        summary="Edit a comment",
        body=EditComment,
        answers={200: CommentOut},
        errors=(NotFound, PolicyDenied, ReadOnly, Conflict),
    )
    def patch(self, request: Request, id: str, proposal: str, comment: str) -> Response:
        """One's own; `edited_at` tells when. The text that stood there before is gone."""
        access, found = _open(request, id, proposal, comment)
        body = parse_body(request, EditComment)
        edit_comment(
            access=access, proposal_id=found.proposal_id, comment_id=found.id, text=body.text
        )
        return Response(_render(get_comment(found.proposal_id, found.id)))

    @operation(
        "memoryStores.deleteMemoryProposalComment",
        summary="Delete a comment",
        answers={204: None},
        errors=(NotFound, PolicyDenied, ReadOnly, Conflict),
    )
    def delete(self, request: Request, id: str, proposal: str, comment: str) -> Response:
        """One's own. That there was one stays, and so do the replies of others."""
        access, found = _open(request, id, proposal, comment)
        parse_nothing(request)
        delete_comment(access=access, proposal_id=found.proposal_id, comment_id=found.id)
        return Response(status=204)


class SettleView(ApiView):
    versioned = True

    @operation(
        "memoryStores.settleMemoryProposalThread",
        summary="Resolve a thread, or open it again",
        body=SettleThread,
        answers={200: CommentOut},
        errors=(NotFound, PolicyDenied, ReadOnly, Conflict),
    )
    def post(self, request: Request, id: str, proposal: str, comment: str) -> Response:
        """Of the comment that begins it. Decides nothing: approvals do not wait for it."""
        access, found = _open(request, id, proposal, comment)
        body = parse_body(request, SettleThread)
        settle_thread(
            access=access,
            proposal_id=found.proposal_id,
            comment_id=found.id,
            resolved=body.resolved,
        )
        return Response(_render(get_comment(found.proposal_id, found.id)))


def _open(request: Request, store: str, proposal: str, comment: str) -> tuple[StoreAccess, Comment]:
    """The store and the comment of a request. Raises NotFound when there is no such one."""
    access, proposal_id = fetch_proposal(request, store, proposal)
    return access, get_comment(proposal_id, parse_path_id("comment", comment))


def _publish(access: StoreAccess, comments: list[Comment], answer: object) -> Published:
    return publish(Acquired(access, held=[comments_held(comments)]), answer)


def _render(comment: Comment) -> CommentOut:
    return {
        "id": comment.id,
        "proposal": comment.proposal_id,
        "thread": comment.thread_id,
        "version": comment.version_id,
        "path": comment.path,
        "side": cast("SideName | None", comment.side),
        "line": comment.line,
        "text": None if comment.is_gone else comment.text,
        "author": render_actor(comment.author),
        "created_at": render_time(comment.created_at),
        "edited_at": _time(comment.edited_at),
        "deleted_at": _time(comment.deleted_at),
        "erased": render_redaction(comment.text_erased_at),
        "resolved": _resolved(comment),
    }


def _time(moment: datetime | None) -> str | None:
    return render_time(moment) if moment else None


def _resolved(comment: Comment) -> ThreadResolutionOut | None:
    if comment.resolver is None or comment.resolved_at is None:
        return None
    return {"by": render_actor(comment.resolver), "at": render_time(comment.resolved_at)}
