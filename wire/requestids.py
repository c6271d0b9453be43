"""Request IDs: one for each request, on the response, in every log line and audit row."""

import logging
import re
from collections.abc import Callable
from contextvars import ContextVar

import uuid_utils
from django.http import HttpRequest, HttpResponseBase

from wire.headers import REQUEST_ID

_ACCEPTED = re.compile(r"[A-Za-z0-9._-]{1,64}")

current_request_id: ContextVar[str] = ContextVar("current_request_id", default="")


class RequestIdMiddleware:
    """Take the balancer's request ID when it is well-formed, else make one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get(REQUEST_ID, "")
        request_id = given if _ACCEPTED.fullmatch(given) else uuid_utils.uuid7().hex
        token = current_request_id.set(request_id)
        try:
            response = self.get_response(request)
        finally:
            current_request_id.reset(token)
        response[REQUEST_ID] = request_id
        return response


class RequestIdFilter(logging.Filter):
    """Put the current request ID on each log record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = current_request_id.get()
        return True
