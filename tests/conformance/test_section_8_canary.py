"""Contract X5: docs/customer-text.md names all customer text and what erases it, and it is so."""

import io
import logging
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse
from redis import Redis

from jobs.models import Job
from jobs.runner import run_slice
from memory.models import ImportDocument, ImportPage, MemoryStore, MemoryVersion, StoreImport
from proposals.models import Proposal
from sessions.models import Session
from tenancy.models import Principal
from tests import canary
from tests.browser.serving import PLAIN_FILES
from tests.canary import Way, find, told
from tests.client import Api, random_id
from tests.clock import stop_clock
from tests.factories import (
    grant,
    make_admin_key,
    make_agent,
    make_environment,
    make_key,
    make_person,
    make_space,
    make_workspace,
)
from tests.notices.telling import tell_all
from tests.retention import set_policy, sweep
from tests.stores import StoreClient, delete_operation, put_operation
from tests.work import run_to_the_end
from wire.logs import JsonFormatter

pytestmark = pytest.mark.django_db(transaction=True)

PLANTED: dict[str, tuple[str, ...]] = {
    "body": ("bodies", "words for search"),
    "path": ("paths", "words for search"),
    "provenance": ("provenance",),
    "message": ("messages",),
    "tag": ("tags of versions",),
    "title": ("titles of Proposals",),
    "description": ("descriptions of Proposals",),
    "note": ("notes of decisions",),
    "approval": ("notes of approvals",),
    "comment": ("comments on Proposals",),
    "glob": ("globs of review rules",),
    "instructions": ("instructions of mounts",),
    "mount-path": ("paths of mounts",),
    "environment-name": ("names of environments",),
    "environment-description": ("descriptions of environments",),
    "space-name": ("names of spaces",),
    "space-description": ("descriptions of spaces",),
    "import": ("exports while they are imported",),
    "import-error": ("what is wrong with an export",),
    "store-name": ("names of stores",),
    "store-description": ("descriptions of stores",),
    "store-metadata": ("metadata of stores",),
    "agent-name": ("names of agents",),
    "agent-description": ("descriptions of agents",),
    "workspace-name": ("names of Workspaces",),
    "principal-name": ("names of principals",),
    "key-name": ("names of API keys",),
    "sign-in-name": ("names of sign-ins",),
    "view-name": ("names of saved views",),
    "view-filter": ("what saved views look for",),
    "address": ("addresses for e-mail",),
}
"""What a secret is planted as: the kinds of text that then hold it."""

SECRETS = {name: f"zq{name.replace('-', '')}7x" for name in PLANTED}
"""One word each, which search keeps whole and nothing else contains."""

ERASED_BY_REDACTION = (
    "body",
    "provenance",
    "message",
    "tag",
    "title",
    "description",
    "note",
    "approval",
    "comment",
)

PATH = f"/{SECRETS['path']}/notes.md"


class World:
    """A Workspace whose every text is a secret, and those who work in it."""

    canonical_writes: str | None = "direct"

    def __init__(self) -> None:
        self.workspace = make_workspace(SECRETS["workspace-name"])
        self.person = make_person(
            self.workspace, SECRETS["principal-name"], username=SECRETS["sign-in-name"]
        )
        self.reviewer = make_person(self.workspace)
        self.admin = Api(make_admin_key(self.workspace)[1])
        self.agent = make_agent(self.workspace, SECRETS["agent-name"])
        self.environment = make_environment(self.workspace, name=SECRETS["environment-name"])
        self.space = make_space(self.workspace, self.person, name=SECRETS["space-name"])
        for kind, row in (
            ("agent", self.agent),
            ("environment", self.environment),
            ("space", self.space),
        ):
            row.description = SECRETS[f"{kind}-description"]
            row.save()
        self.store = self._make_store()
        self.review = self._client_of(self.reviewer, "read", "review")

    def owner(self) -> dict[str, str]:
        """Whose the stores are."""
        return {"kind": "workspace", "id": self.workspace.id}

    def _make_store(self) -> StoreClient:
        body = {
            "name": SECRETS["store-name"],
            "description": SECRETS["store-description"],
            "owner": self.owner(),
            "canonical_writes": self.canonical_writes,
            "metadata": {"kept": SECRETS["store-metadata"]},
        }
        made = self.admin.post("/v1/memory-stores", body).ok(201)
        self.store_id = made["id"]
        return self._client_of(self.person, "read", "write", name=SECRETS["key-name"])

    def _client_of(self, person: Principal, *permissions: str, name: str = "Key") -> StoreClient:
        grant(person, self.store_id, *permissions)
        return StoreClient(
            Api(make_key(self.workspace, principal=person, name=name)[1]), self.store_id
        )

    def write(self) -> None:
        """Put a secret into each place of the store."""
        self._fence()
        text = f"{SECRETS['body']} one"
        provenance = {
            "source_event_ids": [],
            "source_version_ids": [],
            "source_refs": [SECRETS["provenance"]],
            "confidence": "observed",
            "valid_from": "2026-08-27T09:30:00.000Z",
        }
        put = put_operation(PATH, text, provenance=provenance)
        self.store.change(put, put_operation("/kept.md", "kept"), message=SECRETS["message"]).ok()
        named = {"name": SECRETS["tag"], "version": self.store.canonical}
        self.store.api.post(self.store.url("tags"), named, key=None).ok(201)
        self.store.put(PATH, f"{text} two", over=text).ok()
        rejected = self._propose(put_operation(PATH, f"{text} three", over=f"{text} two"))
        said = {"text": SECRETS["comment"], "path": PATH, "line": 1}
        self.store.api.post(self.store.url(f"proposals/{rejected}/comments"), said).ok(201)
        answer = {"response": "reject", "note": SECRETS["note"]}
        self.review.api.post(self.store.url(f"proposals/{rejected}/respond"), answer).ok()
        self._approve(self._propose(put_operation(PATH, f"{text} six", over=f"{text} two")))
        refused = self.store.api.post(self.store.url(f"proposals/{rejected}/respond"), answer)
        assert refused.error == "policy.denied"
        stale = self._propose(put_operation(PATH, f"{text} four", over=f"{text} two"))
        self.store.put("/moved.md", "moved").ok()
        again = self.store.url(f"proposals/{stale}/repropose")
        self.store.api.post(again).ok(201)
        delete = delete_operation(PATH, over=f"{text} two")
        self.store.change(delete, message=SECRETS["message"]).ok()
        self._propose(put_operation(PATH, f"{text} five"))
        self.store.put("/directory" + PATH, "elsewhere").ok()
        self.start()
        self.receive()
        self._keep_views()
        self._fail()
        tell_all()

    def _approve(self, proposal: str) -> None:
        """Approve, where more than one approval is needed."""
        grant(self.reviewer, self.store_id, "admin")
        rules = [{"paths": f"/{SECRETS['glob']}/**"}]
        version = self.store.get("").ok()["version"]
        body = {"version": version, "minimum_approvals": 2, "rules": rules}
        self.review.api.put(self.store.url("review-rules"), body).ok()
        answer = {"response": "approve", "note": SECRETS["approval"]}
        self.review.api.post(self.store.url(f"proposals/{proposal}/respond"), answer).ok()

    def _keep_views(self) -> None:
        """Save a view of the queue, and say where e-mail goes."""
        browser = Client()
        assert self.person.user is not None
        browser.force_login(self.person.user)
        secret = SECRETS["view-filter"]
        view = {"name": SECRETS["view-name"], "store": self.store_id, "q": secret, "path": secret}
        assert browser.post("/views/save", view).status_code == 303
        said = {"assigned": "mail", "commented": "mail", "decided": "mail", "digest": "off"}
        said["address"] = f"{SECRETS['address']}@example.com"
        assert browser.post("/notices/preferences", said).status_code == 303

    def start(self) -> None:
        """Start a Session that has the store at hand."""
        session = self.mounting(self.store_id)
        self.store.api.post(self.store.url("working-refs"), {"session": session}).ok(201)

    def mounting(self, store_id: str) -> str:
        """A Session that mounts a store, and is told secrets of it."""
        grant(self.person, self.agent, "act_as")
        grant(self.agent, store_id, "read", "write")
        mount = {
            "store": store_id,
            "access": "read_only",
            "mount_path": f"/{SECRETS['mount-path']}",
            "instructions": SECRETS["instructions"],
        }
        body = {"agent": self.agent.id, "environment": self.environment.id, "mounts": [mount]}
        api = Api(make_key(self.workspace, principal=self.person)[1])
        return str(api.post("/v1/sessions", body).ok(201)["id"])

    def receive(self) -> None:
        """Leave an import on its way, with a fault in what came."""
        secret = SECRETS["import"]
        body = {"owner": self.owner(), "name": "Imported"}
        self.importing = self.admin.post("/v1/memory-store-imports", body).ok(201)["store"]
        place = {"store_id": self.importing}
        items, counts = f'{{"content": "{secret}"}}'.encode(), [0]
        ImportPage.objects.create(
            **place, ordinal=0, items=items, kind_counts=counts, is_last=False
        )
        ImportDocument.objects.create(
            **place,
            id=random_id("document"),
            source_uuid=uuid4(),
            path=f"/{secret}",
            content_sha256=b"",
            media_type="text/plain",
            bytes=0,
            provenance={"source_refs": [secret]},
            text=secret,
        )
        StoreImport.objects.update(error=SECRETS["import-error"])

    def _fence(self) -> None:
        """A redaction of a path that was never there leaves its name in a fence."""
        self.redact(f"/{SECRETS['path']}/never.md")

    def _propose(self, *operations: Any) -> str:
        body = {
            "title": SECRETS["title"],
            "description": SECRETS["description"],
            "operations": list(operations),
        }
        return str(self.store.api.post(self.store.url("proposals"), body).ok(201)["id"])

    def _fail(self) -> None:
        """Refusals and failures that see secrets, for logs to keep to themselves."""
        put = put_operation(PATH + "/x", SECRETS["body"], over=SECRETS["body"])
        assert self.store.change(put, message=SECRETS["message"]).error == "memory.conflict"
        cut_off = b'{"message": "' + SECRETS["message"].encode()
        broken = self.store.api.request("POST", self.store.url("change-sets"), raw=cut_off)
        assert broken.error == "validation.malformed"
        with pytest.raises(IntegrityError, match=SECRETS["store-name"]), transaction.atomic():
            MemoryStore.objects.filter(id=self.store_id).update(lifecycle="unknown")
        logging.getLogger("tests").error("it failed", exc_info=ValueError(SECRETS["body"]))

    def redact(self, *paths: str) -> None:
        answer = self.admin.post(f"/v1/memory-stores/{self.store_id}/redactions", {"paths": paths})
        run_slice(answer.headers["Location"].rpartition("/")[2])
        answer.ok()

    def delete(self) -> None:
        for store_id in (self.store_id, self.importing):
            job = self.admin.delete(f"/v1/memory-stores/{store_id}", key=None).ok(202)
            run_to_the_end(Job.objects.get(id=job["id"]))


class WorldOfASession(World):
    """The same in stores that a Session owns, which mounts a store of somebody else."""

    canonical_writes = None

    def owner(self) -> dict[str, str]:
        return {"kind": "session", "id": self.session}

    @cached_property
    def session(self) -> str:
        """The Session that owns all stores but one."""
        owner = {"kind": "principal", "id": self.person.id}
        body = {"name": "Somebody's", "owner": owner}
        return self.mounting(self.admin.post("/v1/memory-stores", body).ok(201)["id"])

    def start(self) -> None:
        """Give the Session a working ref."""
        self.store.api.post(self.store.url("working-refs"), {"session": self.session}).ok(201)

    def erase(self) -> None:
        self.admin.post(f"/v1/sessions/{self.session}/erasure", key=None).ok(202)
        for job in Job.objects.filter(state="queued").order_by("id"):
            run_to_the_end(job)


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """What our log handler writes."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter("%(levelname)s %(name)s %(message)s"))
    logging.getLogger().addHandler(handler)
    yield stream
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def world(logged: io.StringIO, settings: Any) -> World:
    settings.STORAGES = PLAIN_FILES
    return World()


def test_the_page_names_every_column_that_could_hold_text():
    """A new one belongs into one of its two tables."""
    told_columns = {column for row in told().values() for column in row.columns}

    assert told_columns | canary.told_to_hold_none() == canary.columns_for_text()
    assert told_columns & canary.told_to_hold_none() == set()


def test_a_secret_is_planted_for_every_kind_of_text():
    assert {kind for kinds in PLANTED.values() for kind in kinds} == set(told())


def test_each_text_is_kept_where_the_page_says(world):
    world.write()

    assert find(SECRETS) == {name: canary.expected(kinds) for name, kinds in PLANTED.items()}


def _expected(way: Way) -> dict[str, set[str]]:
    return {name: canary.expected(kinds, way) for name, kinds in PLANTED.items()}


def test_a_redaction_erases_what_the_page_says(world, logged):
    world.write()
    _read_everything(world)

    world.redact(PATH, "/directory" + PATH)

    _fork_everything(world)
    assert find(SECRETS) == _expected("redaction")
    shown = "\n".join(_read_everything(world))
    assert SECRETS["path"] in shown
    assert {name: SECRETS[name] in shown for name in ERASED_BY_REDACTION} == dict.fromkeys(
        ERASED_BY_REDACTION, False
    )
    _require_silence(logged)


def test_deleting_a_store_erases_what_the_page_says(world, logged):
    world.write()

    world.delete()

    assert find(SECRETS) == _expected("deletion")
    _require_silence(logged)


def test_expiry_erases_what_the_page_says(world, logged, monkeypatch):
    clock = stop_clock(monkeypatch)
    set_policy(world.workspace, body_lifetime_days=1)
    world.write()

    clock.move(days=2)
    sweep()

    assert find(SECRETS) == _expected("expiry")
    _require_silence(logged)


def test_erasing_a_session_erases_what_the_page_says(logged, settings):
    settings.STORAGES = PLAIN_FILES
    world = WorldOfASession()
    world.write()
    assert find(SECRETS) == {name: canary.expected(kinds) for name, kinds in PLANTED.items()}

    world.erase()

    assert Session.objects.get().state == "erased"
    assert find(SECRETS) == _expected("session")
    _require_silence(logged)


# --- everything that can be read ----------------------------------------------------------------


ROUTES = (
    "",
    "versions",
    "refs",
    "reflog",
    "tags",
    "proposals",
    "documents",
    "export",
    "export-pages",
)


def _read_everything(world: World) -> list[str]:
    """What the API and the Console answer to everybody about the store, at every version."""
    versions = list(MemoryVersion.objects.filter(store=world.store_id).values_list("id", flat=True))
    proposals = list(Proposal.objects.values_list("id", flat=True))
    return [*_api(world, versions, proposals), *_console(world, versions, proposals)]


def _api(world: World, versions: list[str], proposals: list[str]) -> Iterator[str]:
    store = world.store
    routes: list[tuple[str, dict[str, str]]] = [
        *((route, {}) for route in ROUTES),
        *(("documents", {"version": version}) for version in versions),
        *((f"versions/{version}", {}) for version in versions),
        *(("document", {"path": PATH, "version": version}) for version in versions),
        *(("blame", {"path": PATH, "version": version}) for version in versions),
        *(("history", {"path": PATH, "version": version}) for version in versions),
        *(
            ("diff", {"base": base, "head": head, "hunks": "true"})
            for base in versions
            for head in versions
        ),
        *((f"proposals/{proposal}", {}) for proposal in proposals),
        *((f"proposals/{proposal}/comments", {}) for proposal in proposals),
        *((f"proposals/{proposal}/diff", {"hunks": "true"}) for proposal in proposals),
    ]
    for route, query in routes:
        yield store.get(route, query).content.decode()
    for word in SECRETS.values():
        for version in versions:
            body = {"query": word, "version": version}
            yield store.api.post(store.url("search"), body, key=None).content.decode()
    for address in ("memory-stores", "jobs", "audit-entries", "erasure-reports"):
        yield world.admin.get(f"/v1/{address}").content.decode()


def _fork_everything(world: World) -> None:
    """Try to copy each version; those that hold what was erased cannot be."""
    owner = {"kind": "principal", "id": world.person.id}
    for version in MemoryVersion.objects.filter(store=world.store_id).values_list("id", flat=True):
        body = {"source_version": version, "name": "A fork", "owner": owner}
        made = world.store.api.post(world.store.url("fork"), body)
        assert made.status in {201, 409}


def _console(world: World, versions: list[str], proposals: list[str]) -> Iterator[str]:
    browser = Client()
    assert world.person.user is not None
    browser.force_login(world.person.user)
    store = [world.store_id]
    addresses = [
        "/",
        "/notices",
        *(reverse(f"console:store-{tab}", args=store) for tab in ("documents", "history", "refs")),
        reverse("console:store-proposals", args=store),
        *(reverse("console:version", args=[world.store_id, version]) for version in versions),
        *(
            f"{reverse('console:document', args=store)}?path={PATH}&version={version}"
            for version in versions
        ),
        *(reverse("console:proposal", args=[proposal]) for proposal in proposals),
        f"{reverse('console:compare', args=store)}?base={versions[0]}&head={versions[1]}",
    ]
    for address in addresses:
        yield browser.get(address).content.decode()


# --- and whatever else runs ---------------------------------------------------------------------


def _require_silence(logged: io.StringIO) -> None:
    """No secret is in our logs, in PostgreSQL's, or in Valkey: neither in keys nor in values."""
    with Redis.from_url(settings.REDIS_URL) as valkey:
        kept = b"".join(part for pair in canary.keys_of_valkey(valkey).items() for part in pair)
    said = {
        "our logs": logged.getvalue(),
        "PostgreSQL's log": _log_of_postgres(),
        "Valkey": kept.decode(errors="replace"),
    }
    assert "it failed" in said["our logs"]
    assert [(where, name) for where, text in said.items() for name in _secrets_in(text)] == []


def _secrets_in(text: str) -> list[str]:
    return [name for name, secret in SECRETS.items() if secret in text]


def _log_of_postgres() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW data_directory")
        folder = Path(cursor.fetchone()[0]).parent
    logs = list((folder / "log").glob("*.log"))
    assert logs, "PostgreSQL's log is elsewhere"
    return "".join(log.read_text(errors="replace") for log in logs)
