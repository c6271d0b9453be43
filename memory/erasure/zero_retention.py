"""Erasing every body of a Workspace that has zero data retention (contract X3)."""

from typing import Final

from jobs.registry import JobKind, Progress, Work
from jobs.registry import register as register_kind
from memory.erasure.sweeps import Due, sweep
from memory.models import BodyErasure, DocumentBody, RetentionPolicy

ERASE: Final = "retention.erase"
BATCH: Final = 500


def register() -> None:
    """Let workers erase all bodies of a Workspace."""
    register_kind(JobKind(ERASE, erase))


def erase(work: Work) -> Progress:
    """Erase the next bodies, as long as the policy is still to keep none.

    Switching zero data retention off ends it: what is written since is meant to stay.
    """
    zero = RetentionPolicy.objects.filter(workspace=work.workspace_id, zero_data_retention=True)

    def find_due(store_id: str, behind: str | None) -> Due:
        return _bodies(store_id, behind) if zero.exists() else Due((), None)

    return sweep(work, find_due, BodyErasure.Reason.RETIRED)


def _bodies(store_id: str, behind: str | None) -> Due:
    bodies = DocumentBody.objects.filter(document_version__store=store_id)
    if behind:
        bodies = bodies.filter(document_version__id__gt=behind)
    ids = bodies.order_by("document_version__id").values_list("document_version", flat=True)
    found = list(ids[:BATCH])
    return Due(found, found[-1] if len(found) == BATCH else None)
