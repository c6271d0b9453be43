"""Doing at once what workers do about notices."""

from notices.models import Letter, Notice, OutboxEntry
from notices.posting import send_letter
from notices.spreading import spread
from tenancy.models import Principal


def tell_all() -> None:
    """Tell everybody of all that stands in the outbox."""
    for entry_id in list(OutboxEntry.objects.order_by("id").values_list("id", flat=True)):
        spread(entry_id)


def send_all() -> None:
    """Send all letters that are due."""
    for letter_id in list(Letter.objects.filter(ended=None).values_list("id", flat=True)):
        send_letter(letter_id)


def told(*, of: str | None = None) -> dict[str, tuple[str, str]]:
    """Who was told: name → kind and reason, of one Proposal or of all there are."""
    tell_all()
    notices = Notice.objects.filter(**({"proposal": of} if of else {})).order_by("id")
    names = dict(Principal.objects.values_list("id", "name"))
    return {names[each.principal_id]: (each.kind, each.reason) for each in notices}


def forget() -> None:
    """Begin anew: nobody was told of anything yet."""
    tell_all()
    Letter.objects.all().delete()
    Notice.objects.all().delete()
