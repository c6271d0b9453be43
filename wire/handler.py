"""Every failure of the API, as the envelope of the error catalogue (contract §0)."""

import logging
from typing import Any

import uuid_utils
from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpResponse, UnreadablePostError
from psycopg_pool import PoolTimeout
from rest_framework import exceptions
from rest_framework.response import Response

from wire import errors
from wire.rendering import dump_json

logger = logging.getLogger(__name__)

BUSY = {
    "40001": "Other writes were in the way. Retry the request.",
    "40P01": "Other writes were in the way. Retry the request.",
    "55P03": "Another write holds this store. Retry the request.",
    "57014": "The request took too long and was stopped. Retry it.",
}
"""SQL states of a database that works, and only has no time for this request."""


def error_body(error: errors.ApiError) -> dict[str, Any]:
    """The envelope: type, message and a link to the error reference, and nothing else."""
    anchor = error.type.replace(".", "-").replace("_", "-")
    return {
        "error": {
            "type": error.type,
            "message": error.message,
            "more": f"{settings.ERROR_REFERENCE_URL}#{anchor}",
        }
    }


def error_headers(error: errors.ApiError) -> dict[str, str]:
    """Headers that belong to an error: when to retry, which methods exist, how to sign in."""
    headers = {"Cache-Control": "no-store"}
    if error.retry_after is not None:
        headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, errors.MethodNotAllowed):
        headers["Allow"] = ", ".join(error.allowed)
    if isinstance(error, errors.InvalidKey):
        headers["WWW-Authenticate"] = "Bearer"
    return headers


def exception_handler(exception: Exception, context: dict[str, Any]) -> Response:
    """DRF's hook: turn any exception of a view into a typed answer."""
    error = as_api_error(exception, context.get("view"))
    return Response(error_body(error), status=error.status, headers=error_headers(error))


def error_response(error: errors.ApiError) -> HttpResponse:
    """The same answer for code outside DRF's views."""
    return HttpResponse(
        dump_json(error_body(error)),
        status=error.status,
        headers=error_headers(error),
        content_type="application/json",
    )


def as_api_error(exception: Exception, view: Any = None) -> errors.ApiError:
    """Find the catalogue's error for an exception; the unknown becomes an incident."""
    if isinstance(exception, errors.ApiError):
        return exception
    if isinstance(exception, exceptions.MethodNotAllowed):
        allowed = getattr(view, "allowed_methods", [])
        return errors.MethodNotAllowed("This route does not take that method.", allowed)
    if isinstance(exception, (OperationalError, InterfaceError, PoolTimeout)):
        return _backend_error(exception)
    for kinds, error, message in _TRANSLATIONS:
        if isinstance(exception, kinds):
            return error(message)
    return incident(exception)


_TRANSLATIONS: tuple[tuple[tuple[type[Exception], ...], type[errors.ApiError], str], ...] = (
    (
        (exceptions.NotAuthenticated, exceptions.AuthenticationFailed),
        errors.InvalidKey,
        "Send a valid key as `Authorization: Bearer ck_…`.",
    ),
    (
        (exceptions.UnsupportedMediaType,),
        errors.Malformed,
        "Send the body as application/json.",
    ),
    (
        (exceptions.ParseError, UnreadablePostError, SuspiciousOperation),
        errors.Malformed,
        "The request could not be read.",
    ),
    (
        (Http404, exceptions.NotFound),
        errors.NotFound,
        "There is nothing at this address.",
    ),
)


def _backend_error(exception: Exception) -> errors.ApiError:
    state = getattr(exception.__cause__, "sqlstate", None)
    if state in BUSY:
        return errors.BackendUnavailable(BUSY[state])
    logger.error("database unavailable", exc_info=exception)
    return errors.BackendUnavailable(
        "The store's database cannot be reached. Retry the request with the same key."
    )


def incident(exception: Exception) -> errors.Internal:
    """Log an unexpected exception under a reference and return the error that names it."""
    reference = f"inc_{uuid_utils.uuid7().hex}"
    logger.error("unexpected failure %s", reference, exc_info=exception)
    return errors.Internal(f"Something went wrong on our side. Reference: {reference}.")
