"""Hearing what happens to Proposals: a row in the outbox, and a message once it has committed."""

from database.transactions import step
from jobs.messages import send_after_commit
from notices.messages import SPREAD
from notices.models import OutboxEntry
from proposals.hearers import Heard
from proposals.hearers import register as register_hearer
from wire.times import now


def register() -> None:
    """Hear what happens to Proposals."""
    register_hearer(OutboxWriter())


class OutboxWriter:
    """Writes down what happens. `proposals.hearers.Hearer` tells when."""

    @step
    def hear(self, heard: Heard) -> None:
        """One row; whom it concerns is worked out by a worker."""
        entry = OutboxEntry.objects.create(
            store_id=heard.store_id,
            proposal_id=heard.proposal_id,
            happening=heard.happening,
            comment_id=heard.comment_id,
            caller_kind=heard.caller.kind,
            caller_uuid=heard.caller.id or None,
            principal_uuid=heard.caller.principal_id,
            at=now(),
        )
        send_after_commit(SPREAD, entry.id)
