"""How people want to be told."""

from collections.abc import Iterable

from notices.models import Preferences
from tenancy.authentication import caller_of_person
from tenancy.caller import Caller
from tenancy.models import Principal
from wire.errors import NotFound


def preferences_of(principal_ids: Iterable[str]) -> dict[str, Preferences]:
    """The preferences of each of some people; what the defaults say of who has none. One query."""
    wanted = list(principal_ids)
    found = {each.principal_id: each for each in Preferences.objects.filter(principal__in=wanted)}
    return {person: found.get(person) or Preferences(principal_id=person) for person in wanted}


def person_of(principal_id: str) -> Caller:
    """The person whom a letter was for, as who acts for them by its link. Raises NotFound."""
    people = Principal.objects.select_related("workspace").filter(
        id=principal_id, state=Principal.State.ACTIVE, user__is_active=True
    )
    person = people.first()
    if person is None:
        raise NotFound("The person whom this letter was for is not here any more.")
    caller = caller_of_person(person)
    caller.require_active()
    return caller
