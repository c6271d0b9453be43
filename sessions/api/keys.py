"""/v1/sessions/{id}/keys: credentials that act as a Session's agent (contract §0 "Keys")."""

from rest_framework.request import Request
from rest_framework.response import Response

from sessions.access import open_session
from sessions.actions.keys import create_session_key, revoke_session_key
from sessions.queries.keys import find_session_key, session_keys
from tenancy.api.base import ApiView, caller_of
from tenancy.api.keys import ApiKeyOut, CreatedApiKeyOut, render_key
from wire.errors import NotFound, PolicyDenied, ReadOnly
from wire.fields import Moment, Name
from wire.operations import Listing, operation
from wire.paging import PagedQuery, list_body, newest_first
from wire.parsing import Body, parse_body, parse_nothing, parse_path_id, parse_query


class CreateSessionKey(Body):
    """A key for whatever runs the agent."""

    name: Name
    expires_at: Moment | None = None
    """When the key ends by itself; with the Session at the latest."""


class SessionKeysView(ApiView):
    versioned = True

    @operation(
        "sessions.listSessionKeys",
        summary="List the keys of a Session",
        query=PagedQuery,
        answers={200: Listing[ApiKeyOut]},
        errors=(NotFound, PolicyDenied),
    )
    def get(self, request: Request, id: str) -> Response:
        """Newest first, revoked ones too. For its acting principal, or with an admin key."""
        access = open_session(caller_of(request), parse_path_id("session", id))
        query = parse_query(request, PagedQuery)
        access.require_keys()
        rows, next_page = newest_first(session_keys(access.session_id), query)
        return Response(list_body([render_key(row) for row in rows], next_page))

    @operation(
        "sessions.createSessionKey",
        summary="Make a key of a Session",
        body=CreateSessionKey,
        answers={201: CreatedApiKeyOut},
        errors=(NotFound, PolicyDenied, ReadOnly),
    )
    def post(self, request: Request, id: str) -> Response:
        """It acts as the agent, and ends with the Session. The secret is shown this once.

        For its acting principal, or with an admin key.
        """
        access = open_session(caller_of(request), parse_path_id("session", id))
        body = parse_body(request, CreateSessionKey)
        key, secret = create_session_key(access=access, name=body.name, expires_at=body.expires_at)
        created: CreatedApiKeyOut = {**render_key(key), "secret": secret}
        return Response(created, status=201)


class SessionKeyView(ApiView):
    versioned = True

    @operation(
        "sessions.revokeSessionKey",
        summary="Revoke a key of a Session",
        answers={204: None},
        errors=(NotFound, PolicyDenied),
    )
    def delete(self, request: Request, id: str, key: str) -> Response:
        """At once, also for answers under way. For its acting principal, or with an admin key."""
        access = open_session(caller_of(request), parse_path_id("session", id))
        found = find_session_key(access.session_id, parse_path_id("api_key", key))
        parse_nothing(request)
        revoke_session_key(access=access, key_id=found.id)
        return Response(status=204)
