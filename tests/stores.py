"""Stores as API clients see them: one key, one store, short words for what tests do often."""

from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from memory.actions.stores import Owner, StoreSettings, create_store
from memory.models import CanonicalWrites, OwnerKind
from memory.trees.hashing import content_sha256, spell_hash
from tenancy.models import Permission, Workspace
from tests.client import Answer, Api
from tests.factories import caller_for, grant, make_admin_key, make_key, make_person

CANONICAL = {"kind": "canonical"}


def hash_of(content: str) -> str:
    """The content hash as the wire spells it."""
    return spell_hash(content_sha256(content))


def tag(content: str) -> str:
    """The content hash as an entity tag."""
    return f'"{hash_of(content)}"'


def put_operation(
    path: str, content: str, *, over: str | None = None, **more: Any
) -> dict[str, Any]:
    """An operation that writes `content`, over the content `over` or where there is nothing."""
    expected = None if over is None else hash_of(over)
    return {"kind": "put", "path": path, "content": content, "expected_sha256": expected, **more}


def delete_operation(path: str, *, over: str) -> dict[str, Any]:
    """An operation that deletes the content `over`."""
    return {"kind": "delete", "path": path, "expected_sha256": hash_of(over)}


@dataclass(frozen=True)
class StoreClient:
    """One store through the API, with one key."""

    api: Api
    id: str

    def url(self, what: str = "") -> str:
        """The address of something of the store."""
        return f"/v1/memory-stores/{self.id}" + (f"/{what}" if what else "")

    def get(self, what: str = "", query: Any = None, **headers: str) -> Answer:
        return self.api.get(self.url(what), query, **headers)

    def pages(self, what: str, **query: Any) -> list[Any]:
        """All rows of one of the store's lists."""
        return self.api.pages(self.url(what), query)

    def read(self, path: str, version: str | None = None, **headers: str) -> Answer:
        query = {"path": path} | ({"version": version} if version else {})
        return self.get("document", query, **headers)

    def put(
        self,
        path: str,
        content: str,
        *,
        over: str | None = None,
        key: str | None = "",
        **more: Any,
    ) -> Answer:
        """PUT over the content `over`, or where there is nothing."""
        precondition = {"If_None_Match": "*"} if over is None else {"If_Match": tag(over)}
        address = self.url("document") + _query(path)
        return self.api.put(address, {"content": content, **more}, key=key, **precondition)

    def delete(self, path: str, *, over: str, key: str | None = "") -> Answer:
        return self.api.delete(self.url("document") + _query(path), key=key, If_Match=tag(over))

    def change(
        self,
        *operations: dict[str, Any],
        base: str | None = None,
        ref: Any = CANONICAL,
        key: str | None = "",
        **more: Any,
    ) -> Answer:
        """Send a change set on a base, or on what canonical is now."""
        body = {
            "ref": ref,
            "base_version": base or self.canonical,
            "operations": list(operations),
            **more,
        }
        return self.api.post(self.url("change-sets"), body, key=key)

    def patch(self, **changes: Any) -> Answer:
        """Change settings of the store's version now, unless one is given."""
        version = changes.pop("version", None) or self.get().ok()["version"]
        return self.api.patch(self.url(), {"version": version, **changes})

    @property
    def canonical(self) -> str:
        """The version canonical is at."""
        return str(self.get().ok()["canonical_version"])


def _query(path: str) -> str:
    return f"?path={quote(path)}"


def personal_store(workspace: Workspace) -> StoreClient:
    """A store of a person's own, through a key bound to that person."""
    owner = make_person(workspace)
    api = Api(make_key(workspace, principal=owner)[1])
    settings = StoreSettings(name="Own notes", owner=Owner(OwnerKind.PRINCIPAL, owner.id))
    return StoreClient(api, create_store(caller=caller_for(owner), settings=settings).store_id)


def shared_store(
    workspace: Workspace,
    *permissions: Permission | str,
    writes: Literal["review", "direct"] = "direct",
) -> StoreClient:
    """A store of the Workspace, through the key of a person with these permissions on it."""
    settings = StoreSettings(
        name="Team memory",
        owner=Owner(OwnerKind.WORKSPACE, workspace.id),
        canonical_writes=CanonicalWrites(writes),
    )
    maker = caller_for(make_admin_key(workspace)[0])
    store_id = create_store(caller=maker, settings=settings).store_id
    return as_person(workspace, store_id, *(permissions or ("read", "write")))


def as_person(workspace: Workspace, store_id: str, *permissions: Permission | str) -> StoreClient:
    """A store through the key of a new person with these permissions on it, if any."""
    person = make_person(workspace)
    if permissions:
        grant(person, store_id, *permissions)
    return StoreClient(Api(make_key(workspace, principal=person)[1]), store_id)
