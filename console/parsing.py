"""Query parameters of Console pages, checked as strictly as the API's."""

import re
from collections.abc import Mapping
from typing import Final

from django.http import HttpRequest

from memory.documents.packing import ArchiveFormat
from memory.documents.paths import PathError, parse_path, parse_prefix
from proposals.models import ProposalStatus
from sessions.models import EventKind
from sessions.queries.events import EventFilters
from tenancy.models import SpaceMember
from wire import ids
from wire.errors import Malformed
from wire.strictjson import refuse_unstorable_text

POSITION: Final = re.compile(r"[0-9]{1,9}")
ROW_NUMBER: Final = re.compile(r"[0-9]{1,18}")


def version_parameter(request: HttpRequest, name: str) -> str | None:
    """A version's ID in the query, or None when there is none. Raises Malformed."""
    return version_in(request.GET, name)


def version_in(values: Mapping[str, object], name: str) -> str | None:
    """A version's ID among some values, or None when it is missing or empty. Raises Malformed."""
    text = str(values.get(name, "")).strip()
    if not text:
        return None
    try:
        return ids.parse_id("version", text)
    except ids.MalformedId as error:
        raise Malformed(f"{name}: {error}.") from error


def store_parameter(request: HttpRequest, name: str) -> str | None:
    """A store's ID in the query, or None when there is none. Raises Malformed."""
    return _id_parameter(request, "store", name)


def proposal_parameter(request: HttpRequest, name: str) -> str | None:
    """A Proposal's ID in the query, or None when there is none. Raises Malformed."""
    return _id_parameter(request, "proposal", name)


def _id_parameter(request: HttpRequest, kind: str, name: str) -> str | None:
    text = request.GET.get(name, "").strip()
    try:
        return ids.parse_id(kind, text) if text else None
    except ids.MalformedId as error:
        raise Malformed(f"{name}: {error}.") from error


def member_sent(request: HttpRequest) -> str:
    """The ID of a principal or an agent that a form sends. Raises Malformed."""
    text = request.POST.get("member", "")
    try:
        ids.kind_among(SpaceMember.Kind.values, text)
    except ids.MalformedId as error:
        raise Malformed(f"member: {error}.") from error
    return text


def status_parameter(request: HttpRequest, name: str) -> ProposalStatus | None:
    """A Proposal's status in the query, or None when there is none. Raises Malformed."""
    text = request.GET.get(name, "")
    try:
        return ProposalStatus(text) if text else None
    except ValueError as error:
        raise Malformed(f"{name}: one of {', '.join(ProposalStatus.values)}.") from error


def event_filters(request: HttpRequest) -> EventFilters:
    """Which events of a Session the query asks for. Raises Malformed."""
    kind, run = request.GET.get("type", ""), request.GET.get("run", "").strip()
    try:
        return EventFilters(
            EventKind(kind) if kind else None, ids.parse_id("run", run) if run else None
        )
    except ids.MalformedId as error:
        raise Malformed(f"run: {error}.") from error
    except ValueError as error:
        raise Malformed(f"type: one of {', '.join(EventKind.values)}.") from error


def archive_format(request: HttpRequest) -> ArchiveFormat:
    """As what file an archive is asked for; a tar when nothing is said. Raises Malformed."""
    try:
        return ArchiveFormat(request.GET.get("format", ArchiveFormat.TAR))
    except ValueError as error:
        raise Malformed(f"format: one of {', '.join(ArchiveFormat)}.") from error


def position_parameter(request: HttpRequest, name: str) -> int | None:
    """A position in a Session's log, or None when there is none. Raises Malformed."""
    text = request.GET.get(name, "")
    if not text:
        return None
    if not POSITION.fullmatch(text):
        raise Malformed(f"{name}: a position is a whole number.")
    return int(text)


def words_parameter(request: HttpRequest, name: str = "q") -> str:
    """What is searched for, without white space around it. Raises Malformed for NUL."""
    return words_in(request.GET, name)


def words_in(values: Mapping[str, object], name: str) -> str:
    """Words among some values, without white space around them. Raises Malformed for NUL."""
    text = str(values.get(name, "")).strip()
    refuse_unstorable_text(text, name)
    return text


def number_in(values: Mapping[str, object], name: str) -> int:
    """The number of a row among some values. Raises Malformed."""
    text = str(values.get(name, ""))
    if not ROW_NUMBER.fullmatch(text):
        raise Malformed(f"{name}: a whole number.")
    return int(text)


def path_parameter(request: HttpRequest, name: str = "path") -> str:
    """A document's path. Raises Malformed."""
    try:
        return parse_path(request.GET.get(name, ""))
    except PathError as error:
        raise Malformed(f"{name}: {error}.") from error


def directory_parameter(request: HttpRequest, name: str = "dir") -> str:
    """A directory with its slash; the root when the parameter is missing. Raises Malformed."""
    text = request.GET.get(name) or "/"
    try:
        return parse_prefix(text if text.endswith("/") else f"{text}/")
    except PathError as error:
        raise Malformed(f"{name}: {error}.") from error
