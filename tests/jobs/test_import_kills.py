"""Contract I1: an import whose workers are killed ends as one whose workers are not."""

import os
import random
import signal
import time

import pytest

from jobs.models import Job, JobState
from memory.management.commands.verify import verify_store
from memory.models import DocumentVersion, ImportDocument, ImportPage, MemoryStore
from tests.bundles import Bundle
from tests.factories import make_workspace
from tests.importers import Importer
from tests.jobs.workers import forget_messages, wait_until, working

pytestmark = pytest.mark.django_db(transaction=True)

REVISIONS = 40
DOCUMENTS = 60


@pytest.fixture(autouse=True)
def broker():
    """An empty broker."""
    forget_messages()
    yield
    forget_messages()


def _history() -> Bundle:
    """Many small revisions after a first large one."""
    bundle = Bundle()
    documents = [
        bundle.write(f"/{number % 7}/{number}.md", f"text {number} " * 500)
        for number in range(DOCUMENTS)
    ]
    tip = bundle.seal(*documents)
    for number in range(REVISIONS - 1):
        changed = bundle.write(f"/{number % 7}/{number}.md", f"edition {number}")
        tip = bundle.seal(changed, parent=tip)
    bundle.point(tip)
    return bundle


def test_killed_workers_end_where_unkilled_ones_do(tmp_path):
    importer = Importer(make_workspace())
    store = importer.begin()
    bundle = _history()
    for ordinal, page in enumerate(bundle.pages()):
        importer.put(store, ordinal, page).ok()
    job = importer.complete(store).ok(202)["job"]
    moments, killed = random.Random(1), set[str]()

    with working(tmp_path / "worker.log") as worker:
        while len(killed) < 3 and _state(job) != JobState.SUCCEEDED:
            owner = Job.objects.values_list("lease_owner", flat=True).get(id=job)
            if owner and owner not in killed:
                time.sleep(moments.uniform(0.0, 0.3))
                os.kill(int(owner.rpartition(":")[2]), signal.SIGKILL)
                killed.add(owner)
        worker.kill()
    with working(tmp_path / "last.log"):
        wait_until(lambda: _state(job) == JobState.SUCCEEDED, patience=120)

    assert importer.get(store)["state"] == "succeeded"
    assert MemoryStore.objects.get(id=store).lifecycle == "active"
    assert DocumentVersion.objects.filter(store=store).count() == len(bundle.documents)
    assert not ImportPage.objects.exists()
    assert not ImportDocument.objects.exists()
    assert verify_store(store).found == {}


def _state(job: str) -> str:
    return Job.objects.values_list("state", flat=True).get(id=job)
