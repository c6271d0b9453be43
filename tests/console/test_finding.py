"""The box that finds anything: identifiers lead somewhere, words list, nothing leaks."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import DocumentVersion, Ref
from memory.queries.versions import canonical_id
from tests.console.conftest import Reader, Scene
from tests.factories import grant, make_person, make_store, make_workspace


def _goes_to(reader: Reader, text: str) -> str:
    answer = reader.get("/find", q=text)
    assert answer.status_code == 303, (text, answer.status_code)
    return str(answer["Location"])


def test_an_identifier_leads_to_what_it_names(scene: Scene, author: Reader) -> None:
    proposal = scene.propose("Later", {"/notes.txt": "three\n"})
    head = canonical_id(scene.store)
    document = DocumentVersion.objects.filter(store=scene.store, path="/notes.txt").latest("id")
    assert _goes_to(author, scene.store) == scene.path
    assert _goes_to(author, f"  {proposal} ") == f"/proposals/{proposal}"
    assert _goes_to(author, head) == f"{scene.path}/versions/{head}"
    assert _goes_to(author, head.replace("memver_", "mrev_")) == f"{scene.path}/versions/{head}"
    address = _goes_to(author, document.id)
    assert author.get(address).status_code == 200
    assert _goes_to(author, scene.reviewer.id) == f"/principals/{scene.reviewer.id}"


def test_words_find_things_of_each_kind(scene: Scene, author: Reader) -> None:
    proposal = scene.propose("Guides, again", {"/guides/more.md": "more\n"})
    page = author.text("/find", q="GUIDES")
    assert f"/proposals/{proposal}" in page
    assert "/guides/releases.md" in page
    assert "Documents of canonical" in page
    assert scene.path in author.text("/find", q="team-mem")
    message = Ref.objects.get(store=scene.store, kind="canonical").version.note.message
    assert "Versions" in author.text("/find", q=message)


def test_what_one_may_not_read_is_not_found(scene: Scene) -> None:
    other = make_workspace("elsewhere")
    stranger = Reader(make_person(other, "Sam Stranger", username="sam"))
    nobody = Reader(make_person(scene.workspace, "Nora Nobody", username="nora"))
    version = canonical_id(scene.store)
    document = DocumentVersion.objects.filter(store=scene.store).latest("id")
    for reader in (stranger, nobody):
        for text in (version, document.id):
            assert reader.get("/find", q=text).status_code == 404
        for text in ("team", "releas", "Begin"):
            page = reader.text("/find", q=text)
            assert "Nothing has this in its name" in page, text


def test_an_admin_without_a_grant_finds_the_store_and_nothing_in_it(
    scene: Scene, admin: Reader
) -> None:
    assert scene.path in admin.text("/find", q="team")
    assert "Nothing has this in its name" in admin.text("/find", q="releas")


def test_what_is_no_name_and_no_identifier_says_so(scene: Scene, author: Reader) -> None:
    assert "Nothing has this in its name" in author.text("/find", q="no such thing")
    assert "Nothing here goes by this identifier" in author.text(
        "/find", q="memver_" + "0" * 32, answers=404
    )
    author.text("/find", q="a\x00b", answers=400)
    assert "An identifier leads to what it names" in author.text("/find")


def test_finding_takes_the_same_queries_however_much_there_is(scene: Scene, author: Reader) -> None:
    def ask() -> int:
        with CaptureQueriesContext(connection) as queries:
            author.text("/find", q="notes")
        return len(queries)

    def add(count: int) -> None:
        for number in range(count):
            grant(scene.author, make_store(scene.workspace, f"notes {number}"), "read")
            scene.approve(
                scene.propose(f"notes {number}", {f"/{count}/{number}/notes.md": f"{number}\n"})
            )

    add(2)
    few = ask()
    add(6)
    assert ask() == few
