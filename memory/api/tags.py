"""/v1/memory-stores/{id}/tags: names that people gave to versions."""

from typing import Annotated, TypedDict

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from memory.access import open_store
from memory.actions.tags import create_tag, delete_tag
from memory.actornaming import Actor, render_actor
from memory.actors import RecordedActor
from memory.api.fields import VersionId
from memory.api.publishing import Published, publish
from memory.models import Tag
from memory.publication import Acquired
from memory.queries.tags import tags_held, tags_of
from tenancy.api.base import ApiView, caller_of
from wire.errors import (
    AuthorizationUnavailable,
    Conflict,
    NotFound,
    PolicyDenied,
    RangeTooLarge,
    ReadOnly,
)
from wire.fields import Name
from wire.operations import Listing, operation
from wire.paging import PagedQuery, list_body, newest_first
from wire.parsing import Body, Query, parse_body, parse_path_id, parse_query
from wire.times import render_time


class CreateTag(Body):
    """Which version gets which name."""

    name: Name
    """One line; unlike every other tag of the store."""
    version: VersionId


class TagsQuery(PagedQuery):
    """Which tags."""

    version: VersionId | None = None
    """Only those of this version."""


class TagQuery(Query):
    """Which tag."""

    name: Annotated[Name, Field(examples=["before the move"])]


class TagOut(TypedDict):
    """A name that somebody gave a version. It never moves, and keeps no body from expiring."""

    store: str
    name: str
    version: str
    actor: Actor
    created_at: str


def render_tag(tag: Tag) -> TagOut:
    """A tag, and who gave it."""
    return {
        "store": tag.store_id,
        "name": tag.name,
        "version": tag.version_id,
        "actor": render_actor(RecordedActor(tag.actor_kind, tag.actor_uuid)),
        "created_at": render_time(tag.created_at),
    }


class TagsView(ApiView):
    versioned = True

    @operation(
        "memoryStores.listMemoryTags",
        summary="List a store's tags",
        query=TagsQuery,
        answers={200: Listing[TagOut]},
        errors=(NotFound, PolicyDenied, Conflict, AuthorizationUnavailable),
    )
    def get(self, request: Request, id: str) -> Published:
        """Newest first."""
        access = open_store(caller_of(request), parse_path_id("store", id))
        query = parse_query(request, TagsQuery)
        access.require_content()
        tags = tags_of(access.store_id)
        if query.version:
            tags = tags.filter(version=query.version)
        rows, next_page = newest_first(tags, query, position=int)
        acquired = Acquired(access, held=[tags_held(rows)])
        return publish(acquired, list_body([render_tag(row) for row in rows], next_page))

    @operation(
        "memoryStores.createMemoryTag",
        summary="Name a version",
        body=CreateTag,
        answers={200: TagOut, 201: TagOut},
        errors=(NotFound, PolicyDenied, ReadOnly, Conflict, RangeTooLarge),
    )
    def post(self, request: Request, id: str) -> Response:
        """Needs `write`. 200 when the version has the name already; 409 when another one has it.

        A tag never moves: delete it and name another version. Redacting a path deletes the tags
        of the versions that changed it, as it blanks their messages.
        """
        access = open_store(caller_of(request), parse_path_id("store", id))
        body = parse_body(request, CreateTag)
        tagged = create_tag(access=access, name=body.name, version_id=body.version)
        return Response(render_tag(tagged.tag), status=200 if tagged.was_there else 201)

    @operation(
        "memoryStores.deleteMemoryTag",
        summary="Take a name away",
        query=TagQuery,
        answers={204: None},
        errors=(NotFound, PolicyDenied, ReadOnly),
    )
    def delete(self, request: Request, id: str) -> Response:
        """For whoever gave it, with `write`, or with `admin`. The version stays as it is."""
        access = open_store(caller_of(request), parse_path_id("store", id))
        query = parse_query(request, TagQuery)
        delete_tag(access=access, name=query.name)
        return Response(status=204)
