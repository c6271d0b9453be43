"""Verification as a job, so that a worker does it batch by batch."""

from typing import Final

from database.transactions import durable
from jobs.actions.enqueue import enqueue
from jobs.models import Job
from jobs.registry import JobKind, Progress, Work
from jobs.registry import register as register_kind
from memory.access import StoreAccess
from memory.verification.batches import count_rows, verify_batch
from memory.verification.findings import Report
from tenancy.models import Permission

VERIFY: Final = "store.verify"


def register() -> None:
    """Let workers verify stores."""
    register_kind(JobKind(VERIFY, verify))


@durable
def request_verification(*, access: StoreAccess) -> Job:
    """Have a store verified; a verification that waits or runs already is good enough.

    Raises:
        PolicyDenied: the caller is no admin of the Workspace and holds no `admin` on the store.
        NotFound: the store is being deleted.
    """
    if not access.caller.is_admin:
        access.require(Permission.ADMIN)
    access.require_known()
    return enqueue(
        caller=access.caller,
        kind=VERIFY,
        target_kind="store",
        target_id=access.store_id,
        once=True,
    )


def verify(work: Work) -> Progress:
    """Verify the next batch of the store that a job is about."""
    assert work.target_id
    total = work.total if work.total is not None else count_rows(work.target_id)
    verified = verify_batch(work.target_id, work.position, Report.read(work.result))
    done = work.done + verified.rows
    return Progress(
        finished=verified.position is None,
        done=done,
        total=max(total, done),
        position=verified.position or {},
        result=verified.report.as_json(),
    )
