"""Verification as a job, so that a worker does it batch by batch."""

from typing import Final

from jobs.registry import JobKind, Progress, Work
from jobs.registry import register as register_kind
from memory.verification.batches import count_rows, verify_batch
from memory.verification.findings import Report

VERIFY: Final = "store.verify"


def register() -> None:
    """Let workers verify stores."""
    register_kind(JobKind(VERIFY, verify))


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
