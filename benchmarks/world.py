"""Who asks and what is asked about: a Workspace, a person with a key, stores of given sizes."""

import http.client
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count, cycle
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from django.conf import settings
from django.test import Client

from benchmarks import corpus, stage
from memory.access import StoreAccess, open_store
from memory.actions.change_sets import ChangeSet, Operation
from memory.actions.git_imports import import_store
from memory.actions.stores import Owner, StoreSettings
from memory.models import OwnerKind
from memory.queries.versions import canonical_id
from memory.refs import CANONICAL
from memory.trees.hashing import content_sha256, spell_hash
from memory.versions.chains import NextVersion
from memory.versions.sealing import Note, Put
from tenancy.caller import Caller
from tenancy.models import Principal, User
from tests.factories import caller_for, make_key, make_person, make_workspace

STRIDE = 7_919
"""A prime: stepping through a store by it visits its pages in no order."""


class Api:
    """One kept-alive connection to the server, with one credential."""

    def __init__(self, port: int, headers: Mapping[str, str]) -> None:
        self.connection = http.client.HTTPConnection(stage.HOST, port)
        self.headers = headers

    def get(self, address: str, query: Mapping[str, Any] | None = None) -> bytes:
        """The bytes of a successful answer."""
        return self._send("GET", f"{address}?{urlencode(query)}" if query else address)

    def post(self, address: str, body: Any) -> Any:
        """The JSON of a successful answer, to a request that was never sent before."""
        fresh = {"Idempotency-Key": str(uuid4())}
        return json.loads(self._send("POST", address, json.dumps(body), fresh))

    def _send(
        self,
        method: str,
        address: str,
        body: str | None = None,
        more: Mapping[str, str] | None = None,
    ) -> bytes:
        self.connection.request(method, address, body, {**self.headers, **(more or {})})
        response = self.connection.getresponse()
        content = response.read()
        if response.status >= http.HTTPStatus.BAD_REQUEST:
            raise RuntimeError(f"{method} {address}: {response.status} {content.decode()}")
        return content


@dataclass
class Shelf:
    """A store, and what is in it by now, so that each write can expect the right text."""

    owner: Principal
    id: str
    paths: list[str]
    editions: dict[str, int] = field(default_factory=dict)
    order: Iterator[str] = field(init=False)
    numbers: Iterator[int] = field(default_factory=partial(count, 1))

    def __post_init__(self) -> None:
        size = len(self.paths)
        self.order = cycle([self.paths[n * STRIDE % size] for n in range(size)])

    @property
    def size(self) -> str:
        """How large it is, for a table."""
        return f"{len(self.paths):,} documents"

    @property
    def url(self) -> str:
        return f"/v1/memory-stores/{self.id}"

    @property
    def canonical(self) -> str:
        """Where canonical is."""
        return canonical_id(self.id)

    @property
    def caller(self) -> Caller:
        """The owner, signed in now."""
        return caller_for(self.owner)

    def open(self, caller: Caller) -> StoreAccess:
        """The store as its owner opens it."""
        return open_store(caller, self.id)

    def content(self, path: str) -> bytes:
        """The digest of what is at a path by now."""
        return content_sha256(corpus.text(path, self.editions.get(path, 0)))

    def next_operation(self) -> Operation:
        """Write the next document anew."""
        path, edition = next(self.order), next(self.numbers)
        expected = self.content(path)
        self.editions[path] = edition
        return Operation(path, Put(corpus.text(path, edition)), expected)

    def next_change(self, base_version: str) -> ChangeSet:
        """A change set of one document on canonical."""
        return ChangeSet(CANONICAL, base_version, (self.next_operation(),))

    def next_body(self, base_version: str) -> dict[str, Any]:
        """The same as a request."""
        operation = self.next_operation()
        assert isinstance(operation.change, Put)
        assert operation.expected_sha256
        put = {
            "kind": "put",
            "path": operation.path,
            "content": operation.change.text,
            "expected_sha256": spell_hash(operation.expected_sha256),
        }
        return {"ref": {"kind": "canonical"}, "base_version": base_version, "operations": [put]}


@dataclass(frozen=True)
class World:
    """Everybody and everything that is measured."""

    port: int
    owner: Principal
    secret: str

    @classmethod
    def make(cls, port: int) -> "World":
        """A Workspace with one person in it."""
        workspace = make_workspace("benchmarks")
        owner = make_person(workspace, username="benchmarks")
        return cls(port, owner, make_key(workspace, principal=owner)[1])

    def api(self, secret: str | None = None) -> Api:
        """A connection of its own, with the owner's key or another."""
        headers = {
            "Authorization": f"Bearer {secret or self.secret}",
            "Checkfu-Version": "2026-08-27",
            "Content-Type": "application/json",
        }
        return Api(self.port, headers)

    def browser(self, person: Principal | None = None) -> Api:
        """A connection of its own, on which the owner or somebody else is signed in."""
        client = Client()
        client.force_login(User.objects.get(principals=person or self.owner))
        name = settings.SESSION_COOKIE_NAME
        return Api(self.port, {"Cookie": f"{name}={client.cookies[name].value}"})

    def shelf(self, size: int) -> Shelf:
        """A new store of `size` documents, each with its own text."""
        paths = corpus.paths(size)
        first = NextVersion({path: Put(corpus.text(path)) for path in paths}, Note())
        owner = Owner(OwnerKind.PRINCIPAL, self.owner.id)
        made = StoreSettings(f"{size} documents", owner)
        caller = caller_for(self.owner)
        return Shelf(
            self.owner,
            import_store(caller=caller, settings=made, versions=[first]).store_id,
            paths,
        )
