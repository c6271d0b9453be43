"""Marking notices as read."""

from database.transactions import durable
from notices.models import Notice
from tenancy.audit import record
from tenancy.caller import Caller
from wire.errors import NotFound
from wire.times import now


@durable
def read_notice(*, caller: Caller, notice_id: int) -> Notice:
    """Mark one of one's own notices as read. Doing so again changes nothing.

    Raises:
        NotFound: the person has no such notice.
    """
    notice = Notice.objects.filter(principal__in=[caller.principal_id], id=notice_id).first()
    if notice is None:
        raise NotFound("You have no such notice.")
    if notice.read_at is None:
        _mark(caller, [notice.id])
    return notice


@durable
def read_all_notices(*, caller: Caller, up_to: int) -> None:
    """Mark one's notices as read, as far as the page showed that there were any.

    Args:
        up_to: the newest that the person has seen.
    """
    unread = Notice.objects.filter(principal__in=[caller.principal_id], read_at=None, id__lte=up_to)
    _mark(caller, list(unread.values_list("id", flat=True)))


def _mark(caller: Caller, notice_ids: list[int]) -> None:
    if not notice_ids:
        return
    assert caller.principal_id
    Notice.objects.filter(id__in=notice_ids, read_at=None).update(read_at=now())
    record(
        caller=caller,
        event="notices.read",
        target_kind="principal",
        target_id=caller.principal_id,
        detail={"notices": len(notice_ids)},
    )
