"""Erasure: redaction, the retention policy and its sweeps, and the end of a store."""

from typing import Any

from django.db import transaction

from jobs.enqueueing import enqueue
from jobs.models import Job
from memory.erasure.expiry import EXPIRE
from memory.erasure.retirement import RETIRE
from tenancy.caller import platform_caller
from tenancy.models import Workspace
from tests.client import Api
from tests.oracle.retention import Policy
from tests.oracle.values import Caller, Redacted
from tests.properties.people import ADMIN, READER
from tests.properties.product.requests import Requests, body_of, is_replay
from tests.work import run_to_the_end

POLICY = "/v1/retention-policy"
KEEPS_ALL = {
    "body_lifetime_days": None,
    "retire_superseded_after_days": None,
    "zero_data_retention": False,
}


class Erasure(Requests):
    """What takes things away from one store."""

    def redact(self, caller: Caller, paths: frozenset[str], key: str) -> Redacted:
        body = {"paths": sorted(paths)}
        answer = self.api(caller).post(self.url("redactions"), body, key=key)
        counts = body_of(answer)
        self.hear_versions(READER)
        report = self.api(ADMIN).get(answer.headers["Location"]).ok()
        assert {name: report[name] for name in counts} == counts
        assert finish_job(report["job"]) == {"pending": []}
        return Redacted(**counts, replayed=is_replay(answer))

    def change_policy(self, caller: Caller, version: int, **changes: Any) -> Policy:
        return _policy(self._change_policy(caller, version, changes))

    def erase_existing(self, caller: Caller, version: int) -> Policy:
        changes = {"zero_data_retention": True, "erase_existing": True}
        changed = self._change_policy(caller, version, changes)
        finish_job(changed["erasure_job"])
        return _policy(changed)

    def _change_policy(self, caller: Caller, version: int, changes: dict[str, Any]) -> Any:
        answer = self.api(caller).patch(POLICY, {"version": version, **changes}, key=None)
        changed = body_of(answer)
        assert changed["version"] == version + 1
        return changed

    def sweep(self) -> None:
        """Do what workers do when the chore finds something due."""
        caller = platform_caller(Workspace.objects.get(id=self.workspace_id))
        for kind in (RETIRE, EXPIRE):
            with transaction.atomic():
                job = enqueue(caller=caller, kind=kind)
            finish_job(job.id)

    def delete(self, caller: Caller) -> None:
        """Delete the store, as far as a request does."""
        job = body_of(self.api(caller).delete(self.url(), key=None))
        self.deletion = job["id"]


def _policy(told: Any) -> Policy:
    return Policy(
        told["body_lifetime_days"],
        told["retire_superseded_after_days"],
        told["zero_data_retention"],
    )


def keep_all(admin: Api) -> int:
    """Let a Workspace keep bodies for ever; returns the version of its policy."""
    version = admin.get(POLICY).ok()["version"]
    return int(admin.patch(POLICY, {"version": version, **KEEPS_ALL}, key=None).ok()["version"])


def finish_job(job_id: str) -> Any:
    """Work on a job until it ends, as a worker would; returns its result."""
    return run_to_the_end(Job.objects.get(id=job_id)).result
