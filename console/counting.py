"""What the navigation counts: what waits for the person, and what they have not read."""

from dataclasses import dataclass
from typing import Final

from django.conf import settings

from console.people import ConsoleRequest
from notices.queries.notices import unread_count
from proposals.queries.queue import waiting_count

SHOWN_AT_MOST: Final = 99


@dataclass(frozen=True, slots=True)
class Counted:
    """Proposals that wait for a person, and their notices that are not read."""

    waiting: int = 0
    unread: int = 0

    @property
    def waiting_shown(self) -> str:
        """As it stands in the navigation."""
        return _shown(self.waiting)

    @property
    def unread_shown(self) -> str:
        """As it stands at the bell."""
        return _shown(self.unread)


NOTHING_COUNTED: Final = Counted()


def counted_for(request: ConsoleRequest) -> Counted:
    """Count for the person who asks. Two queries; none while the surface is fenced."""
    if not settings.VERSIONED_SURFACE:
        return NOTHING_COUNTED
    return Counted(waiting_count(request.caller), unread_count(request.caller))


def _shown(count: int) -> str:
    return str(count) if count <= SHOWN_AT_MOST else f"{SHOWN_AT_MOST}+"
