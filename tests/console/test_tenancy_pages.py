"""Access, principals, agents, keys and the audit log."""

import ast
import re

from console.forms.audit import NOUNS
from tenancy.models import Agent, ApiKey, PermissionAssignment, Principal
from tests.client import Api
from tests.console.conftest import Reader, Scene
from tests.factories import PASSWORD, make_agent, make_key, make_service
from tests.test_house import calls, modules

ADMIN_PAGES = ("/principals", "/principals/new-person", "/principals/new-service", "/agents",
               "/agents/new", "/keys", "/keys/new", "/audit", "/retention")  # fmt: skip


def test_admin_pages_are_for_admins(scene: Scene, author: Reader, admin: Reader) -> None:
    for path in ADMIN_PAGES:
        assert "for admins of the Workspace" in author.text(path, answers=403)
        assert author.post(path).status_code in {403, 405}
        assert admin.get(path).status_code == 200
    assert 'href="/keys"' not in author.text("/")


def test_everybody_sees_their_own_grants(scene: Scene, author: Reader) -> None:
    page = author.text("/access")
    assert "team-memory" in page
    assert "Every assignment" not in page
    assert author.post("/access", {}).status_code == 403


def test_granting_and_revoking_on_a_store(scene: Scene, admin: Reader, author: Reader) -> None:
    url = f"{scene.path}/access"
    assert "Who else holds what is shown to" in author.text(url)
    agent = make_agent(scene.workspace, "Helper")
    form = {"subject": f"agent:{agent.id}", "permissions": ["read", "write"]}
    assert author.post(url, form).status_code == 403
    assert admin.post(url, form)["Location"] == url
    assert "Helper" in admin.text(url)
    assert "Kim Admin" in admin.text(url)
    assert admin.post(url, form).status_code == 409
    assert admin.post(url, form | {"permissions": []}).status_code == 422
    review = admin.post(url, form | {"permissions": ["review"]})
    assert (review.status_code, b"cannot hold `review`" in review.content) == (400, True)

    grant = PermissionAssignment.objects.get(subject_uuid=agent.id)
    assert author.post(f"/access/{grant.id}/revoke").status_code == 403
    assert admin.post(f"/access/{grant.id}/revoke", {"next": url})["Location"] == url
    assert not PermissionAssignment.objects.filter(id=grant.id).exists()


def test_granting_on_the_workspace(scene: Scene, admin: Reader) -> None:
    form = {
        "subject": f"principal:{scene.admin.id}",
        "target": f"workspace:{scene.workspace.id}",
        "permissions": ["read"],
    }
    assert "You hold no grant" in admin.text(scene.path, answers=403)
    assert admin.post("/access", form).status_code == 303
    assert "notes.txt" in admin.text(scene.path)


def test_a_key_is_shown_once(scene: Scene, admin: Reader) -> None:
    form = {"name": "Scripts", "key_class": "standard", "principal": scene.author.id}
    answer = admin.post("/keys/new", form)
    assert answer.status_code == 201
    assert "no-store" in answer["Cache-Control"]
    secret = re.search(r"ck_[\w-]{43}", answer.content.decode())
    assert secret
    Api(secret[0]).get("/v1/memory-stores").ok()
    key = ApiKey.objects.get(name="Scripts")
    assert key.principal_id == scene.author.id
    page = admin.text("/keys")
    assert secret[0] not in page
    assert f"{key.hint}…" in page

    assert admin.post(f"/keys/{key.id}/revoke").status_code == 303
    assert "Revoked" in admin.text("/keys")
    assert Api(secret[0]).get("/v1/memory-stores").status == 401


def test_keys_that_cannot_be_made(scene: Scene, admin: Reader) -> None:
    form = {"name": "Late", "key_class": "standard", "expires_at": "2020-01-01T00:00"}
    assert admin.post("/keys/new", form).status_code == 422
    assert admin.post("/keys/new", {"name": ""}).status_code == 422
    assert not ApiKey.objects.filter(name="Late").exists()


def test_a_new_person_signs_in(scene: Scene, admin: Reader, visitor: Reader) -> None:
    form = {"name": "Sam", "username": "sam", "password": PASSWORD}
    assert admin.post("/principals/new-person", form | {"password": "short"}).status_code == 400
    answer = admin.post("/principals/new-person", form)
    assert answer.status_code == 303
    visitor.post("/sign-in", {"username": "sam", "password": PASSWORD})
    assert "Nothing waits for you" in visitor.text("/")
    assert admin.post("/principals/new-person", form).status_code == 409


def test_a_principal_is_changed(scene: Scene, admin: Reader, author: Reader) -> None:
    url = f"/principals/{scene.author.id}"
    assert "Ada Author" in admin.text(url)
    form = {"name": "Ada Renamed", "state": "disabled"}
    assert admin.post(url, form).status_code == 303
    assert author.get("/").status_code == 403
    assert Principal.objects.get(id=scene.author.id).name == "Ada Renamed"
    service = make_service(scene.workspace)
    assert "Workspace admin" not in admin.text(f"/principals/{service.id}")
    assert admin.post("/principals/new-service", {"name": "Importer"}).status_code == 303


def test_an_agent_from_birth_to_archive(scene: Scene, admin: Reader) -> None:
    assert admin.post("/agents/new", {"name": "Helper", "description": "d"}).status_code == 303
    agent = Agent.objects.get(name="Helper")
    url = f"/agents/{agent.id}"
    assert admin.post(url, {"name": "Helpful", "description": ""}).status_code == 303
    assert admin.post(url, {"name": ""}).status_code == 422
    assert admin.post(f"{url}/archive").status_code == 303
    assert "Archived" in admin.text("/agents")
    assert admin.post(url, {"name": "Again"}).status_code == 403


def test_the_audit_log(scene: Scene, admin: Reader) -> None:
    make_key(scene.workspace, name="A secret name")
    page = admin.text("/audit")
    assert "proposal.approved" in page
    assert "Robin Reviewer" in page
    assert "A secret name" not in page.split("<tbody>")[1].replace("API key", "")
    only = admin.text("/audit", event="store.created")
    assert "proposal.approved" not in only
    assert "No entry matches" in admin.text("/audit", target="memstore_" + "0" * 32)
    assert admin.get("/audit", target="nonsense").status_code == 422
    assert admin.get("/audit", event="\0").status_code == 422
    nouns = admin.text("/audit", event="api_key.")
    assert "api_key.created" in nouns
    assert "proposal.approved" not in nouns
    theirs = admin.text("/audit", by=scene.reviewer.id)
    assert "proposal.approved" in theirs
    assert "proposal.created" not in theirs.split("<tbody>")[1]
    assert "proposal.approved" in admin.text("/audit", since="2020-01-01", until="2999-01-01")
    assert "No entry matches" in admin.text("/audit", until="2020-01-01")


def test_the_audit_log_offers_every_noun_that_is_recorded() -> None:
    recorded = {
        node.value.partition(".")[0]
        for tree in modules().values()
        for call in calls(tree)
        for keyword in call.keywords
        if keyword.arg == "event"
        for node in ast.walk(keyword.value)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value
    }
    assert recorded <= set(NOUNS)
