"""Asking about one store as one of several people, in the oracle's words."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from tests.client import Answer, Api
from tests.oracle.values import UNKNOWN, Caller, Operation, Put, RefName, Refused
from tests.properties.people import ADMIN, Person
from wire.headers import REPLAYED
from wire.ids import new_id

OWNER_FIELDS = {"session": "session", "proposal": "proposal", "curation": "run"}


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


class Requests:
    """What all questions about a store need: addresses, pages, and names for identifiers."""

    def __init__(self, people: Mapping[str, Person], store_id: str) -> None:
        self.people = people
        self.id = store_id
        self.workspace_id = people[ADMIN.name].principal.workspace_id
        self.names = {person.key.id: name for name, person in people.items()}
        self.versions = Ids("version")
        self.proposals = Ids("proposal")
        self.sessions = Ids("session")

    def url(self, what: str = "") -> str:
        return f"/v1/memory-stores/{self.id}" + (f"/{what}" if what else "")

    def api(self, caller: Caller) -> Api:
        return self.people[caller.name].api

    def get(self, caller: Caller, what: str = "", **query: Any) -> Any:
        given = {name: value for name, value in query.items() if value is not None}
        return body_of(self.api(caller).get(self.url(what), given))

    def pages(self, caller: Caller, what: str, limit: int, **query: Any) -> Iterable[Any]:
        """All pages of a list, each of them whole."""
        page = None
        while True:
            body = self.get(caller, what, limit=limit, page=page, **query)
            assert len(body["data"]) <= limit
            yield body
            page = body["next_page"]
            if page is None:
                return
            assert len(body["data"]) == limit

    def rows(self, caller: Caller, what: str, limit: int, **query: Any) -> list[Any]:
        return [row for body in self.pages(caller, what, limit, **query) for row in body["data"]]

    def hear_versions(self, caller: Caller) -> None:
        """Number what was sealed since, in the order of sealing."""
        for row in reversed(self.rows(caller, "versions", 200)):
            self.versions.hear(row["id"])

    # --- names -------------------------------------------------------------------------------

    def version(self, number: int | None) -> str | None:
        return None if number is None else self.versions[number]

    def actor(self, actor: Any) -> str:
        """The name of who did something; the platform goes by what it does."""
        if actor["kind"] == "platform":
            return str(actor["operation"])
        assert actor["kind"] == "api_key"
        return self.names[actor["key"]]

    def spell_ref(self, name: RefName) -> dict[str, str]:
        if name.kind == "canonical":
            return {"kind": "canonical"}
        assert isinstance(name.owner, int)
        return {"kind": name.kind, OWNER_FIELDS[name.kind]: self._owners(name.kind)[name.owner]}

    def ref_name(self, row: Any) -> RefName:
        kind = row["kind"]
        if kind == "canonical":
            return RefName(kind)
        return RefName(kind, self._owners(kind).number(row[OWNER_FIELDS[kind]]))

    def _owners(self, kind: str) -> Ids:
        return {"session": self.sessions, "proposal": self.proposals}[kind]


def spell_operation(operation: Operation) -> dict[str, Any]:
    common = {"path": operation.path, "expected_sha256": operation.expected}
    if isinstance(operation, Put):
        return {"kind": "put", **common, **spell_text(operation)}
    return {"kind": "delete", **common}


def spell_text(put: Put) -> dict[str, Any]:
    """The text that somebody writes, and what they say of it."""
    claims = put.provenance.live() if put.provenance else None
    return {"content": put.text, "media_type": put.media_type, "provenance": claims}


def moment(text: str | None) -> datetime | None:
    """A time as the wire has it, which may be missing."""
    return None if text is None else datetime.fromisoformat(text)


def why_gone(erasure: Any) -> str | None:
    """Why a text is gone, if it is."""
    return erasure and erasure["reason"]


def body_of(answer: Answer) -> Any:
    """What a success holds; an error of the catalogue is a refusal as the oracle's are."""
    if answer.status >= 400:
        assert answer.status < 500, answer.body
        raise Refused(answer.error, answer.message)
    return answer.body


def is_replay(answer: Answer) -> bool:
    return answer.headers.get(REPLAYED) == "true"


def answer_of(ask: Any, *arguments: Any, **options: Any) -> Any:
    """What oracle or product answers: a value, or the type of its refusal."""
    try:
        return ask(*arguments, **options)
    except Refused as refusal:
        return refusal.type
