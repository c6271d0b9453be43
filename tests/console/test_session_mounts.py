"""What a mount reads, listed and downloaded in the Console; and inputs of Sessions that call."""

import io
import re
import tarfile
import zipfile

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.queries.versions import canonical_id
from sessions.models import Access
from sessions.mounts.admission import NewMount
from sessions.queries.facts import Wish
from tenancy.models import PermissionAssignment
from tests.agents import Scene as Parties
from tests.client import Api
from tests.console.conftest import TEXTS, Reader, Scene
from tests.console.crew import Crew, make_crew
from tests.factories import grant, make_environment, make_key, make_store
from tests.native import AtWork, call, enter, finish
from tests.stores import StoreClient, put_operation


@pytest.fixture
def crew(scene: Scene) -> Crew:
    return make_crew(scene)


def page_of(session: str, mount: int = 1) -> str:
    return f"/sessions/{session}/mounts/{mount}"


def downloaded(reader: Reader, session: str, form: str) -> bytes:
    answer = reader.get(f"{page_of(session)}/archive", format=form)
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    return b"".join(answer.streaming_content)


# --- documents -----------------------------------------------------------------------------------


def test_a_mount_lists_what_it_reads_and_leads_to_each_document(crew: Crew, author: Reader) -> None:
    session, version = crew.start(crew.mount()), canonical_id(crew.scene.store)
    overview = author.text(f"/sessions/{session}")
    for link in (f'"{page_of(session)}"', "archive?format=tar", "archive?format=zip"):
        assert link in overview

    page = author.text(page_of(session))

    assert "What mount 1 reads now" in page
    for path in TEXTS:
        assert path in page
    assert f"/stores/{crew.scene.store}/versions/{version}" in page
    assert f"version={version}" in page


def test_a_download_holds_the_very_bytes_that_the_api_sends(crew: Crew, author: Reader) -> None:
    session, version = crew.start(crew.mount()), canonical_id(crew.scene.store)
    api = Api(make_key(crew.scene.workspace, principal=crew.scene.author)[1])

    files = {form: downloaded(author, session, form) for form in ("tar", "zip")}

    for form, content in files.items():
        sent = api.get(f"/v1/sessions/{session}/mounts/1/archive", {"format": form})
        assert content == sent.content
        named = author.get(f"{page_of(session)}/archive", format=form)["Content-Disposition"]
        assert named == f'attachment; filename="{version}.{form}"'
    with tarfile.open(fileobj=io.BytesIO(files["tar"])) as archive:
        assert [f"/{name}" for name in archive.getnames()] == sorted(TEXTS)
    with zipfile.ZipFile(io.BytesIO(files["zip"])) as archive:
        assert archive.read("notes.txt").decode() == TEXTS["/notes.txt"]
    assert author.get(f"{page_of(session)}/archive", format="rar").status_code == 400


def test_a_list_goes_on_in_its_version_or_says_that_the_mount_moved(
    crew: Crew, author: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.views.session_mounts.SIZE", 1)
    session = crew.start(crew.mount())
    first = author.text(page_of(session))
    found = re.search(r'href="\?page=([^"]+)"', first)
    assert found

    rest = author.text(page_of(session), page=found[1])

    assert ["/guides/releases.md" in text for text in (first, rest)] == [True, False]
    assert "/notes.txt" in rest
    crew.scene.approve(crew.scene.propose("Later", {"/notes.txt": "three\n"}))
    assert author.get(page_of(session), page=found[1]).status_code == 409
    assert author.get(page_of(session), page="nonsense").status_code == 400


def test_it_is_for_whom_the_agent_acts_while_the_session_goes_on(
    crew: Crew, author: Reader, reviewer: Reader, admin: Reader
) -> None:
    session = crew.start(crew.mount())
    for reader, status in ((reviewer, 404), (admin, 403)):
        assert reader.get(page_of(session)).status_code == status
        assert reader.get(f"{page_of(session)}/archive").status_code == status
    grant(crew.scene.reviewer, session, "read")
    assert reviewer.get(page_of(session)).status_code == 403
    assert page_of(session) not in reviewer.text(f"/sessions/{session}")
    assert author.get(page_of(session, 2)).status_code == 404

    author.post(f"/sessions/{session}/archive")

    assert author.get(page_of(session)).status_code == 403
    assert page_of(session) not in author.text(f"/sessions/{session}")


def test_what_the_agent_may_not_read_is_not_handed_out(crew: Crew, author: Reader) -> None:
    session = crew.start(crew.mount())
    PermissionAssignment.objects.get(subject_uuid=crew.agent.id).delete()

    assert author.get(page_of(session)).status_code == 403
    assert author.get(f"{page_of(session)}/archive").status_code == 403
    assert page_of(session) not in author.text(f"/sessions/{session}")


def test_an_empty_mount_is_an_empty_list(crew: Crew, author: Reader) -> None:
    empty = make_store(crew.scene.workspace, "empty")
    for subject in (crew.scene.author, crew.agent):
        grant(subject, empty, "read")
    session = crew.start(NewMount(Wish(empty, Access.READ_ONLY)))

    assert "No documents" in author.text(page_of(session))
    with tarfile.open(fileobj=io.BytesIO(downloaded(author, session, "tar"))) as archive:
        assert archive.getnames() == []


# --- inputs --------------------------------------------------------------------------------------


@pytest.fixture
def work(crew: Crew) -> AtWork:
    """The author's Session where what runs writes by calls, and a key of hers as its agent."""
    author = crew.scene.author
    api = Api(make_key(crew.scene.workspace, principal=author)[1])
    native = make_environment(crew.scene.workspace, memory_writer="native", name="Chat")
    parties = Parties(crew.scene.workspace, author, crew.agent, native, api)
    store = parties.store()
    mounts = [{"store": store.id, "access": "read_write"}]
    session = parties.session(*mounts)["id"]
    return AtWork(parties, StoreClient(api, store.id), session, api)


def test_a_session_that_calls_says_how_to_begin(work: AtWork, author: Reader) -> None:
    overview = author.text(f"/sessions/{work.session}")
    connect = author.text(f"/sessions/{work.session}/connect")

    assert "None yet. This environment writes by calls" in overview
    assert f"POST /v1/sessions/{work.session}/inputs" in connect
    assert "Enter the next round" not in connect
    assert "Checkpoint a turn" not in connect


def test_inputs_are_told_with_their_mounts_rounds_and_calls(work: AtWork, author: Reader) -> None:
    accepted = work.input()
    begun = author.text(f"/sessions/{work.session}")
    assert accepted in begun
    assert "None entered yet." in begun
    entered = work.round(accepted)
    sealed = call(work.agent, entered, put_operation("/a.md", "text")).ok(201)["version"]
    finish(work.agent, entered).ok()
    enter(work.agent, accepted).ok(201)

    page = author.text(f"/sessions/{work.session}")

    rounds = re.findall(r"Round (\d)</span>(.*?)</li>", page, re.DOTALL)
    assert [number for number, _ in rounds] == ["2", "1"]
    assert "Goes on" in rounds[0][1]
    assert "wrote nothing" in rounds[0][1]
    assert f"versions/{sealed}" in rounds[1][1]
    connect = author.text(f"/sessions/{work.session}/connect")
    assert f"/v1/inputs/{accepted}/rounds" in connect
    assert "memory-calls/call-1" in connect


def test_inputs_take_no_query_for_each(work: AtWork, author: Reader) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            author.text(f"/sessions/{work.session}")
        return len(captured)

    finish(work.agent, work.round()).ok()
    one = queries()
    for _ in range(11):
        finish(work.agent, work.round()).ok()

    assert queries() == one
    assert "The last 10 are shown" in author.text(f"/sessions/{work.session}")
