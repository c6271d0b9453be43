"""The filters of the review queue in its address, in its form, and in saved views."""

from typing import Any, Final

from django.http import HttpRequest
from django.http.request import QueryDict
from django.urls import reverse

from console.naming import Named, Names
from console.parsing import words_in
from proposals.models import ProposalStatus
from proposals.models.saved_views import AUTHORS
from proposals.queries.filters import EVERYTHING, Filters
from proposals.queries.queue import SectionName, authors_seen
from tenancy.caller import Caller
from wire import ids
from wire.errors import Malformed

SHOW_ALL: Final = "all"
"""The value of `show` that asks for everything, whatever view is the person's default."""


def filters_in(values: QueryDict) -> Filters:
    """The filters among some parameters. Raises Malformed."""
    return Filters(
        store=_id(values, "store", ["store"]),
        author=_id(values, "author", AUTHORS),
        status=_status(values),
        text=words_in(values, "q") or None,
        path=words_in(values, "path") or None,
    )


def section_in(request: HttpRequest) -> SectionName | None:
    """The one section that is asked for, if it is one. Raises Malformed."""
    text = request.GET.get("section", "")
    try:
        return SectionName(text) if text else None
    except ValueError as error:
        raise Malformed(f"section: one of {', '.join(SectionName)}.") from error


def queue_url(filters: Filters) -> str:
    """The address of the queue, narrowed so."""
    query = QueryDict(mutable=True)
    query.update({name: value for name, value in parameters_of(filters).items() if value})
    if filters == EVERYTHING:
        query["show"] = SHOW_ALL
    return f"{reverse('console:queue')}?{query.urlencode(safe='/')}"


def parameters_of(filters: Filters) -> dict[str, str]:
    """The filters as parameters: the reverse of `filters_in`. What is not narrowed is empty."""
    return {
        "store": filters.store or "",
        "author": filters.author or "",
        "status": filters.status or "",
        "q": filters.text or "",
        "path": filters.path or "",
    }


def authors_offered(caller: Caller, chosen: str | None) -> list[Named]:
    """Whom the form offers as authors, by name, the chosen one among them.

    At most one query, and one more for each kind of author.
    """
    seen = authors_seen(caller)
    if chosen:
        kind = ids.kind_among(AUTHORS, chosen)
        seen = [*seen, (kind, ids.uuid_from_id(chosen))]
    names = Names(caller.workspace_id, seen)
    offered: dict[str, Named] = {}
    for kind, uuid in seen:
        named = names.of(kind, uuid)
        offered[named.id or ""] = named
    return sorted(offered.values(), key=lambda named: (named.label.casefold(), named.id or ""))


def _id(values: QueryDict, name: str, kinds: Any) -> str | None:
    text = values.get(name, "").strip()
    try:
        return ids.parse_id(ids.kind_among(kinds, text), text) if text else None
    except ids.MalformedId as error:
        raise Malformed(f"{name}: {error}.") from error


def _status(values: QueryDict) -> ProposalStatus | None:
    text = values.get("status", "")
    try:
        return ProposalStatus(text) if text else None
    except ValueError as error:
        raise Malformed(f"status: one of {', '.join(ProposalStatus.values)}.") from error
