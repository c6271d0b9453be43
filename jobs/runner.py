"""Working on a job: take it, do batches for a while, put it back for others to have their turn."""

import logging
import os
import socket
import time
from typing import Final

from database.transactions import durable
from jobs import leases
from jobs.leases import Lease, LeaseLost
from jobs.models import Job
from jobs.registry import Progress, Work, find_kind
from wire.errors import ApiError

logger = logging.getLogger(__name__)

SLICE: Final = 5.0
"""Seconds that one message is worked on, so that long jobs do not hold up short ones."""


def run_slice(job_id: str, *, seconds: float = SLICE) -> bool:
    """Take a job and do batches of it.

    Returns:
        Whether there is more to do and the job wants to be offered again.
    """
    lease = leases.take(job_id, owner=f"{socket.gethostname()}:{os.getpid()}")
    if lease is None:
        return False
    try:
        return _work(lease, time.monotonic() + seconds)
    except LeaseLost:
        logger.warning("%s was taken by somebody else", job_id)
    except ApiError as error:
        _give_up(lease, error, error.type, is_final=True)
    except Exception as error:  # noqa: BLE001 (a worker outlives whatever a batch raises)
        _give_up(lease, error, type(error).__name__, is_final=False)
    return False


def _work(lease: Lease, until: float) -> bool:
    while True:
        progress = run_batch(lease)
        if progress.finished or progress.pause is not None:
            return False
        if time.monotonic() >= until:
            return leases.put_back(lease)


@durable
def run_batch(lease: Lease) -> Progress:
    """Do one batch: what it changes and how far it came commit together, or not at all.

    Raises:
        LeaseLost: somebody else has taken the job.
    """
    job = leases.hold(lease)
    progress = find_kind(lease.kind).run(_work_of(job))
    leases.keep(lease, progress)
    return progress


def _work_of(job: Job) -> Work:
    return Work(
        job_id=job.id,
        workspace_id=job.workspace_id,
        target_id=job.target_id,
        parameters=job.parameters,
        position=job.position,
        done=job.done,
        total=job.total,
        result=job.result,
    )


def _give_up(lease: Lease, error: Exception, name: str, *, is_final: bool) -> None:
    logger.error("a batch of %s (%s) failed", lease.job_id, lease.kind, exc_info=error)
    leases.give_up(lease, name, is_final=is_final)
