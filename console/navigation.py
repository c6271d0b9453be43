"""Where one can go from everywhere, and which of it is here."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse


@dataclass(frozen=True, slots=True)
class Place:
    """A link of a navigation.

    Attributes:
        url_name: the route it leads to.
        rooms: first words of the route names that belong to it.
        for_admins: whether others are not shown it.
    """

    label: str
    url_name: str
    icon: str
    rooms: frozenset[str]
    for_admins: bool = False

    @property
    def url(self) -> str:
        return reverse(f"console:{self.url_name}")


def _place(label: str, url_name: str, icon: str, *rooms: str, for_admins: bool = False) -> Place:
    return Place(label, url_name, icon, frozenset(rooms), for_admins)


ACCESS = (
    _place("Assignments", "access", "shield-check", "access"),
    _place("Principals", "principals", "users", "principals"),
    _place("Agents", "agents", "cpu-chip", "agents"),
    _place("Environments", "environments", "server-stack", "environments"),
    _place("Spaces", "spaces", "user-group", "spaces"),
    _place("Retention", "retention", "clock", "retention"),
    _place("Audit log", "audit", "clipboard-document-list", "audit"),
)

MAIN = (
    _place("Review queue", "queue", "inbox", "queue", "proposal"),
    _place("Stores", "stores", "circle-stack", "stores", "store", "document", "version", "compare"),
    _place("Sessions", "sessions", "chat-bubble-left-right", "sessions", "session"),
    _place("Access", "access", "shield-check", *(room for each in ACCESS for room in each.rooms)),
    _place("Jobs", "jobs", "queue-list", "jobs"),
    _place("API keys", "keys", "key", "keys", for_admins=True),
    _place("API reference", "reference", "code-bracket", "reference"),
    _place("Errors", "errors", "book-open", "errors"),
)


def here(request: HttpRequest) -> str:
    """The room of the current route: `store` for `store-history`."""
    match = request.resolver_match
    return (match.url_name or "").partition("-")[0] if match else ""
