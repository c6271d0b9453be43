"""An archive of many documents is sent in parts, and no more than a part is at hand (R5)."""

import tracemalloc
from collections.abc import Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.actions.git_imports import import_store
from memory.actions.stores import Owner, StoreSettings
from memory.documents.packing import ArchiveFormat
from memory.models import OwnerKind
from memory.versions.chains import NextVersion
from memory.versions.sealing import Note, Put
from sessions.access import open_session
from sessions.mounts.archives import PART_BYTES, archive_parts
from sessions.mounts.reading import Mounted, find_mount, open_mounted
from tests.agents import make_scene, mount
from tests.factories import caller_for, grant

pytestmark = pytest.mark.django_db

DOCUMENTS = 10_000
TEXT = "What the team decided.\n" * 45
"""About a kilobyte, so there are many parts."""
MOST_BYTES = {ArchiveFormat.TAR: 7 * PART_BYTES, ArchiveFormat.ZIP: 9 * PART_BYTES}
"""Of Python's memory: a part and what it is made of. A zip keeps all names for its end, too."""
STATEMENTS_A_PART = 5


@pytest.fixture
def mounted(workspace) -> Mounted:
    scene = make_scene(workspace)
    first = NextVersion({f"/d/{n:05}.md": Put(f"{n}\n{TEXT}") for n in range(DOCUMENTS)}, Note())
    settings = StoreSettings("Large", Owner(OwnerKind.PRINCIPAL, scene.person.id))
    caller = caller_for(scene.person)
    store = import_store(caller=caller, settings=settings, versions=[first]).store_id
    grant(scene.agent, store, "read")
    session = scene.session(mount(store))["id"]
    return open_mounted(open_session(caller_for(scene.person), session), find_mount(session, 1))


@pytest.mark.parametrize("form", ArchiveFormat)
def test_R5_memory_and_statements_are_those_of_a_part(mounted, form):
    with CaptureQueriesContext(connection) as queries:
        peak, parts, size = _drained(archive_parts(mounted, form))

    assert size > DOCUMENTS * len(TEXT)
    assert peak < MOST_BYTES[form] < size
    assert len(queries) <= STATEMENTS_A_PART * parts


def _drained(parts: Iterator[bytes]) -> tuple[int, int, int]:
    """The highest use of memory, how many parts came, and how long they are together."""
    count = size = 0
    tracemalloc.start()
    try:
        for part in parts:
            count += 1
            size += len(part)
        return tracemalloc.get_traced_memory()[1], count, size
    finally:
        tracemalloc.stop()
