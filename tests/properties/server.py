"""The product under the oracle's method names, so that one question can be put to both.

Everything goes through the HTTP API. Versions and Proposals are numbers here, as they are in the
oracle: the tables of numbers and identifiers grow with what the product says it has made.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django.db import transaction

from memory import refs
from memory.actors import actor_of
from memory.models import RefKind
from tenancy.models import ApiKey, Principal
from tests.client import Answer, Api
from tests.factories import caller_for, grant
from tests.oracle.proposals import Handled, NewProposal, Response, Shown
from tests.oracle.store import by_ref
from tests.oracle.treehash import content_hash
from tests.oracle.values import (
    UNKNOWN,
    Caller,
    Change,
    ChangeSet,
    Diff,
    Listed,
    Operation,
    Outcome,
    Put,
    Reading,
    RefMove,
    RefName,
    Refused,
    Sealed,
    Settings,
    Step,
    Written,
)
from wire.headers import REPLAYED
from wire.ids import new_id

OWNER_FIELDS = {"session": "session", "proposal": "proposal", "curation": "run"}


@dataclass(frozen=True)
class Person:
    """Somebody with a key that is bound to them."""

    principal: Principal
    key: ApiKey
    api: Api


class Ids:
    """Identifiers by number, in the order in which they were first heard of."""

    def __init__(self, kind: str) -> None:
        self.known: list[str] = []
        self.unknown = new_id(kind)

    def hear(self, identifier: str) -> int:
        """The number of something that may have been made just now."""
        if identifier not in self.known:
            self.known.append(identifier)
        return self.number(identifier)

    def number(self, identifier: str) -> int:
        return self.known.index(identifier)

    def maybe_number(self, identifier: str | None) -> int | None:
        return None if identifier is None else self.number(identifier)

    def __getitem__(self, number: int) -> str:
        return self.unknown if number == UNKNOWN else self.known[number]


class Server:
    """One store of the product, asked by several people."""

    def __init__(self, people: Mapping[str, Person], creator: Caller, settings: Settings) -> None:
        self.people = people
        self.names = {person.key.id: name for name, person in people.items()}
        self.versions = Ids("version")
        self.proposals = Ids("proposal")
        self.sessions = Ids("session")
        store = self._create(people[creator.name], settings)
        self.id = store["id"]
        self.versions.hear(store["canonical_version"])

    def _create(self, creator: Person, settings: Settings) -> Any:
        principal = creator.principal
        owner = {"kind": "principal", "id": principal.id}
        if settings.canonical_writes is not None:
            owner = {"kind": "workspace", "id": principal.workspace_id}
        body = {
            "name": "A store",
            "owner": owner,
            "canonical_writes": settings.canonical_writes,
            "self_approval": settings.self_approval,
        }
        return creator.api.post("/v1/memory-stores", body).ok(201)

    def give(self, caller: Caller) -> None:
        """Grant a caller on this store what the oracle believes they hold."""
        grant(self.people[caller.name].principal, self.id, *caller.permissions)

    # --- requests ----------------------------------------------------------------------------

    def _url(self, what: str) -> str:
        return f"/v1/memory-stores/{self.id}" + (f"/{what}" if what else "")

    def _api(self, caller: Caller) -> Api:
        return self.people[caller.name].api

    def _get(self, caller: Caller, what: str, **query: Any) -> Any:
        given = {name: value for name, value in query.items() if value is not None}
        return _body(self._api(caller).get(self._url(what), given))

    def _pages(self, caller: Caller, what: str, limit: int, **query: Any) -> Iterable[Any]:
        """All pages of a list, each of them whole."""
        page = None
        while True:
            body = self._get(caller, what, limit=limit, page=page, **query)
            assert len(body["data"]) <= limit
            yield body
            page = body["next_page"]
            if page is None:
                return
            assert len(body["data"]) == limit

    def _rows(self, caller: Caller, what: str, limit: int, **query: Any) -> list[Any]:
        return [row for body in self._pages(caller, what, limit, **query) for row in body["data"]]

    def _version(self, number: int | None) -> str | None:
        return None if number is None else self.versions[number]

    # --- writes ------------------------------------------------------------------------------

    def change_set(self, caller: Caller, request: ChangeSet, key: str) -> Outcome:
        body = {
            "ref": self._spell_ref(request.ref),
            "base_version": self._version(request.base),
            "operations": [_operation(operation) for operation in request.operations],
            "message": request.message,
        }
        done = _body(self._api(caller).post(self._url("change-sets"), body, key=key))
        version = self.versions.hear(done["version"]) if done["version"] else None
        assert done["unchanged"] == (version is None)
        assert request.base is not None
        return Outcome(
            version,
            request.base,
            tuple(done["changed_paths"]),
            done["tree_hash"],
            done["replayed"],
        )

    def write_document(self, caller: Caller, operation: Operation, key: str | None) -> Written:
        address = f"{self._url('document')}?path={quote(operation.path)}"
        precondition = {"If_None_Match": "*"}
        if operation.expected is not None:
            precondition = {"If_Match": f'"{operation.expected}"'}
        api = self._api(caller)
        if isinstance(operation, Put):
            body = {"content": operation.text, "media_type": operation.media_type}
            answer = api.put(address, body, key=key, **precondition)
        else:
            answer = api.delete(address, key=key, **precondition)
        done = _body(answer)
        at = self.versions.hear(done["version"])
        return Written(at, done.get("unchanged", False), _is_replay(answer))

    def move(self, name: RefName, to: int, caller: Caller) -> None:
        """Make a Session's ref, as opening the Session will."""
        self.sessions.hear(session := new_id("session"))
        assert self.sessions.number(session) == name.owner
        with transaction.atomic():
            refs.create(
                store_id=self.id,
                name=refs.RefName(RefKind.SESSION, session),
                at=self.versions[to],
                actor=actor_of(caller_for(self.people[caller.name].key)),
            )

    def change_settings(self, caller: Caller, version: int, **changes: Any) -> int:
        if "archived" in changes:
            changes["lifecycle"] = "archived" if changes.pop("archived") else "active"
        answer = self._api(caller).patch(self._url(""), {"version": version, **changes})
        return int(_body(answer)["version"])

    # --- reads -------------------------------------------------------------------------------

    def read(self, caller: Caller, path: str, version: int | None = None) -> Reading:
        body = self._get(caller, "document", path=path, version=self._version(version))
        assert body["content_sha256"] == content_hash(body["content"])
        assert body["bytes"] == len(body["content"].encode())
        return Reading(self.versions.number(body["version"]), body["content"], body["media_type"])

    def list_documents(
        self, caller: Caller, version: int | None = None, prefix: str = "/", limit: int = 200
    ) -> tuple[Listed, ...]:
        exact = self._version(version)
        rows = self._rows(caller, "documents", limit, version=exact, prefix=prefix)
        return tuple(
            Listed(
                row["path"],
                row["content_sha256"],
                row["media_type"],
                row["bytes"],
                self.versions.number(row["introduced_version"]),
            )
            for row in rows
        )

    def list_versions(self, caller: Caller, limit: int = 200) -> tuple[Sealed, ...]:
        return tuple(self._sealed(row) for row in self._rows(caller, "versions", limit))

    def _sealed(self, row: Any) -> Sealed:
        return Sealed(
            self.versions.hear(row["id"]),
            self.versions.maybe_number(row["parent_version"]),
            row["kind"],
            self._actor(row["actor"]),
            row["message"],
            row["document_count"],
            row["total_bytes"],
            row["tree_hash"],
        )

    def list_refs(self, caller: Caller, limit: int = 200) -> frozenset[tuple[RefName, int]]:
        rows = self._rows(caller, "refs", limit)
        return frozenset(
            (self._ref_name(row), self.versions.number(row["version"])) for row in rows
        )

    def list_moves(self, caller: Caller, limit: int = 200) -> dict[RefName, list[RefMove]]:
        return by_ref(
            RefMove(
                self._ref_name(row["ref"]),
                self.versions.maybe_number(row["before"]),
                self.versions.maybe_number(row["after"]),
                self._actor(row["actor"]),
            )
            for row in self._rows(caller, "reflog", limit)
        )

    def diff(self, caller: Caller, base: int, head: int, limit: int = 200) -> Diff:
        ends = {"base": self._version(base), "head": self._version(head)}
        pages = list(self._pages(caller, "diff", limit, **ends))
        rows = [row for page in pages for row in page["data"]]
        changes = tuple(Change(row["status"], row["path"], row["old_path"]) for row in rows)
        for status, total in pages[0]["totals"].items():
            assert total == sum(change.status == status for change in changes)
        return Diff(pages[0]["diff_hash"], changes)

    def history(
        self, caller: Caller, path: str, version: int | None = None, limit: int = 200
    ) -> tuple[Step, ...]:
        rows = self._rows(caller, "history", limit, path=path, version=self._version(version))
        return tuple(
            Step(self.versions.number(row["version"]), row["change"], row["content_sha256"])
            for row in rows
        )

    # --- Proposals ---------------------------------------------------------------------------

    def create(self, caller: Caller, request: NewProposal, key: str) -> Handled:
        body: dict[str, Any] = {
            "title": request.title,
            "base_version": self._version(request.base),
        }
        if isinstance(request.head, int):
            body["head_version"] = self._version(request.head)
        else:
            body["operations"] = [_operation(operation) for operation in request.head]
        return self._handled(caller, self._api(caller).post(self._url("proposals"), body, key=key))

    def respond(self, caller: Caller, number: int, response: Response, key: str) -> Handled:
        body = {
            "response": response.response,
            "base_version": self._version(response.base),
            "head_version": self._version(response.head),
            "diff_hash": response.diff_hash,
        }
        return self._decide(caller, number, "respond", body, key)

    def repropose(self, caller: Caller, number: int, key: str) -> Handled:
        return self._decide(caller, number, "repropose", {}, key)

    def _decide(self, caller: Caller, number: int, how: str, body: Any, key: str) -> Handled:
        address = self._url(f"proposals/{self.proposals[number]}/{how}")
        return self._handled(caller, self._api(caller).post(address, body, key=key))

    def _handled(self, caller: Caller, answer: Answer) -> Handled:
        """A Proposal as a write answers it, which must be what a read answers right after."""
        body = _body(answer)
        self.proposals.hear(body["id"])
        self.list_versions(caller)  # an inline head was sealed before it could be heard of
        shown = self._shown(body)
        assert self.show(caller, shown.number) == shown
        return Handled(shown, _is_replay(answer))

    def show(self, caller: Caller, number: int) -> Shown:
        return self._shown(self._get(caller, f"proposals/{self.proposals[number]}"))

    def list_proposals(
        self, caller: Caller, status: str | None = None, limit: int = 200
    ) -> tuple[Shown, ...]:
        rows = self._rows(caller, "proposals", limit, status=status)
        return tuple(self._shown(row) for row in rows)

    def _shown(self, body: Any) -> Shown:
        return Shown(
            self.proposals.number(body["id"]),
            body["title"],
            self.versions.number(body["base_version"]),
            self.versions.number(body["head_version"]),
            body["diff_hash"],
            body["status"],
            self._actor(body["author"]),
            body["stale"],
            body["can_approve"],
            body["resolution"]["reason"] if body["resolution"] else None,
            self.proposals.maybe_number(body["replaces"]),
            self.proposals.maybe_number(body["replaced_by"]),
        )

    # --- names -------------------------------------------------------------------------------

    def _actor(self, actor: Any) -> str:
        assert actor["kind"] == "api_key"
        return self.names[actor["key"]]

    def _spell_ref(self, name: RefName) -> dict[str, str]:
        if name.kind == "canonical":
            return {"kind": "canonical"}
        assert isinstance(name.owner, int)
        return {"kind": name.kind, OWNER_FIELDS[name.kind]: self._owners(name.kind)[name.owner]}

    def _ref_name(self, row: Any) -> RefName:
        kind = row["kind"]
        if kind == "canonical":
            return RefName(kind)
        return RefName(kind, self._owners(kind).number(row[OWNER_FIELDS[kind]]))

    def _owners(self, kind: str) -> Ids:
        return {"session": self.sessions, "proposal": self.proposals}[kind]


def _operation(operation: Operation) -> dict[str, Any]:
    common = {"path": operation.path, "expected_sha256": operation.expected}
    if isinstance(operation, Put):
        text = {"content": operation.text, "media_type": operation.media_type}
        return {"kind": "put", **common, **text}
    return {"kind": "delete", **common}


def _body(answer: Answer) -> Any:
    """What a success holds; an error of the catalogue is a refusal as the oracle's are."""
    if answer.status >= 400:
        assert answer.status < 500, answer.body
        raise Refused(answer.error, answer.message)
    return answer.body


def _is_replay(answer: Answer) -> bool:
    return answer.headers.get(REPLAYED) == "true"


def answer_of(ask: Any, *arguments: Any, **options: Any) -> Any:
    """What oracle or product answers: a value, or the type of its refusal."""
    try:
        return ask(*arguments, **options)
    except Refused as refusal:
        return refusal.type
