"""Effective access explained: each grant by its way, and what no grant brings."""

from datetime import timedelta

from tenancy.models import ApiKey, Principal
from tests.console.conftest import Reader, Scene
from tests.factories import grant, make_agent, make_key, make_service, make_space
from wire.times import now

PAGE = "/access/explained"


def _ask(reader: Reader, who: str, store: str, answers: int = 200) -> str:
    page = reader.text(PAGE, who=who, store=store, answers=answers)
    return " ".join(page.split())


def _verdicts(page: str) -> list[bool]:
    """Of read, write, review and admin, in the order of the page."""
    rows = page.split('data-label="Answer"')[1:]
    return ["Yes</span>" in row for row in rows]


def test_it_names_the_grant_and_the_way_it_takes(scene: Scene, admin: Reader) -> None:
    somebody = make_service(scene.workspace, "Importer")
    grant(somebody, scene.workspace, "read")
    space = make_space(scene.workspace, somebody, name="Release room")
    grant(space, scene.store, "write")
    page = _ask(admin, f"principal:{somebody.id}", scene.store)
    assert _verdicts(page) == [True, True, False, False]
    assert "Granted on the whole Workspace to Importer" in page
    assert "Release room</span>, which they belong to" in page
    assert "No grant of <code>review</code> reaches Importer" in page
    assert "never decide on Proposals" in page


def test_admins_read_nothing_without_a_grant(scene: Scene, admin: Reader) -> None:
    page = _ask(admin, f"principal:{scene.admin.id}", scene.store)
    assert _verdicts(page) == [False] * 4
    assert "That reads no document." in page
    grant(scene.admin, scene.store, "admin")
    page = _ask(admin, f"principal:{scene.admin.id}", scene.store)
    assert _verdicts(page) == [False] * 4
    assert "does not count without <code>read</code>" in page


def test_a_key_is_held_to_its_principal(scene: Scene, admin: Reader) -> None:
    bound, _ = make_key(scene.workspace, principal=scene.reviewer, name="Scripts")
    page = _ask(admin, f"api_key:{bound.id}", scene.store)
    assert _verdicts(page)[0] is True
    assert "It is bound to Robin Reviewer" in page
    ApiKey.objects.filter(id=bound.id).update(expires_at=now() - timedelta(days=1))
    page = _ask(admin, f"api_key:{bound.id}", scene.store)
    assert _verdicts(page) == [False] * 4
    assert "The key is expired" in page
    own, _ = make_key(scene.workspace, name="Dashboard")
    own.may_act_for.add(scene.author)
    page = _ask(admin, f"api_key:{own.id}", scene.store)
    assert _verdicts(page) == [False] * 4
    assert "A request may name Ada Author instead" in page


def test_a_disabled_principal_may_nothing(scene: Scene, admin: Reader) -> None:
    Principal.objects.filter(id=scene.reviewer.id).update(state="disabled")
    page = _ask(admin, f"principal:{scene.reviewer.id}", scene.store)
    assert _verdicts(page) == [False] * 4
    assert "It is disabled" in page


def test_an_agent_needs_a_principal_beside_it(scene: Scene, admin: Reader) -> None:
    agent = make_agent(scene.workspace, "Helper")
    grant(agent, scene.store, "read", "write")
    page = _ask(admin, f"agent:{agent.id}", scene.store)
    assert _verdicts(page) == [True, True, False, False]
    assert "what both hold" in page


def test_one_may_ask_about_oneself_and_no_more(scene: Scene, author: Reader, admin: Reader) -> None:
    mine = f"principal:{scene.author.id}"
    assert _verdicts(_ask(author, mine, scene.store))[:2] == [True, True]
    other = f"principal:{scene.reviewer.id}"
    assert "Robin Reviewer" not in _ask(author, other, scene.store, answers=422)
    grant(scene.author, scene.store, "admin")
    assert _verdicts(_ask(author, other, scene.store))[0] is True
    assert f"{PAGE}?store={scene.store}" in author.text(f"{scene.path}/access")
    assert "Choose…" in author.text(PAGE)
