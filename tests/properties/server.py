"""The product under the oracle's method names, so that one question can be put to both.

Versions are numbers here as they are in the oracle: the table of numbers and identifiers is kept
by listening to what the product says it has sealed.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from django.db import transaction

from memory import refs as ref_steps
from memory.access import StoreAccess, open_store
from memory.actions import change_sets
from memory.actions.stores import Owner, StoreChanges, StoreSettings, change_store, create_store
from memory.actors import actor_of
from memory.models import CanonicalWrites, Lifecycle, OwnerKind, RefKind, SelfApproval
from memory.queries import diffs, documents, refs, versions
from memory.treehash import content_sha256, parse_hash, spell_hash
from memory.versions import Put
from tenancy.models import Principal
from tests.factories import caller_for, grant
from tests.oracle.trees import Change
from tests.oracle.values import (
    CANONICAL,
    UNKNOWN,
    Caller,
    ChangeSet,
    Listed,
    Operation,
    Outcome,
    Reading,
    RefMove,
    RefName,
    Refused,
    Sealed,
    Settings,
    Step,
)
from tests.oracle.values import Put as OraclePut
from wire.errors import ApiError
from wire.idempotency import IdempotencyKey, fingerprint
from wire.ids import id_from_uuid, new_id


class Server:
    """One store of the product, asked by several people."""

    def __init__(self, people: Mapping[str, Principal], creator: Caller, settings: Settings):
        self.people = people
        self.ids: list[str] = []
        self.unknown = new_id("version")
        self.sessions: dict[str, str] = {}
        self.store_id = self._create(creator, settings)
        self._hear(versions.canonical_id(self.store_id))

    def _create(self, creator: Caller, settings: Settings) -> str:
        person = self.people[creator.name]
        shared = settings.canonical_writes is not None
        owner = (
            Owner(OwnerKind.WORKSPACE, person.workspace_id)
            if shared
            else Owner(OwnerKind.PRINCIPAL, person.id)
        )
        return create_store(
            caller=caller_for(person),
            settings=StoreSettings(
                name="a store",
                owner=owner,
                canonical_writes=CanonicalWrites(settings.canonical_writes) if shared else None,
                self_approval=SelfApproval(settings.self_approval),
            ),
        ).store_id

    # --- identifiers -------------------------------------------------------------------------

    def _hear(self, version_id: str) -> int:
        """Take note of a version that was just sealed."""
        if version_id not in self.ids:
            self.ids.append(version_id)
        return self.ids.index(version_id)

    def _number(self, version_id: str | None) -> int | None:
        return None if version_id is None else self.ids.index(version_id)

    def _id(self, number: int | None) -> str | None:
        return self.unknown if number == UNKNOWN else None if number is None else self.ids[number]

    def _access(self, caller: Caller) -> StoreAccess:
        access = open_store(caller_for(self.people[caller.name]), self.store_id)
        access.require_content()
        return access

    def _ref(self, name: RefName) -> ref_steps.RefName:
        if name == CANONICAL:
            return ref_steps.CANONICAL
        owner = self.sessions.setdefault(str(name.owner), new_id("session"))
        return ref_steps.RefName(RefKind(name.kind), owner)

    def _ref_name(self, row: Any) -> RefName:
        names = {owner: name for name, owner in self.sessions.items()}
        return RefName(row.kind, names.get(row.owner_id or ""))

    # --- writes ------------------------------------------------------------------------------

    def change_set(self, caller: Caller, request: ChangeSet, key: str | None = None) -> Outcome:
        access = self._access(caller)
        done = change_sets.apply_change_set(
            access=access,
            change_set=change_sets.ChangeSet(
                ref=self._ref(request.ref),
                base_version=self._id(request.base),
                operations=tuple(map(_operation, request.operations)),
                message=request.message,
            ),
            key=IdempotencyKey(key, fingerprint("", "", repr(request))) if key else None,
        )
        return Outcome(
            self._hear(done.version_id) if done.version_id else None,
            tuple(done.changed_paths),
            spell_hash(done.tree_hash),
            done.replayed,
        )

    def move(self, name: RefName, to: int, caller: Caller) -> None:
        """Make a ref, as opening a Session will."""
        with transaction.atomic():
            ref_steps.create(
                store_id=self.store_id,
                name=self._ref(name),
                at=self.ids[to],
                actor=actor_of(caller_for(self.people[caller.name])),
            )

    def change_settings(self, caller: Caller, version: int, **changes: Any) -> int:
        archived = changes.pop("archived", None)
        if archived is not None:
            changes["lifecycle"] = Lifecycle.ARCHIVED if archived else Lifecycle.ACTIVE
        access = change_store(
            access=self._access(caller), version=version, changes=StoreChanges(**changes)
        )
        return int(access.store.version)

    def give(self, caller: Caller) -> None:
        """Grant a caller on this store what the oracle believes they hold."""
        grant(self.people[caller.name], self._store_row(), *caller.permissions)

    def _store_row(self) -> Any:
        from memory.models import MemoryStore

        return MemoryStore.objects.get(id=self.store_id)

    # --- reads -------------------------------------------------------------------------------

    def read(self, caller: Caller, path: str, version: int | None = None) -> Reading:
        self._access(caller)
        found = documents.read_document(self.store_id, path, self._id(version))
        text = documents.require_text(found)
        assert found.content_sha256 == sha256(text.encode()).digest()
        assert found.size == len(text.encode())
        return Reading(self.ids.index(found.version_id), text, found.media_type)

    def list_documents(
        self, caller: Caller, version: int | None = None, prefix: str = "/", limit: int = 7
    ) -> tuple[Listed, ...]:
        self._access(caller)
        exact = versions.resolve(self.store_id, self._id(version))
        rows: list[Any] = []
        while True:
            after = rows[-1].path if rows else None
            page = documents.list_documents(exact, prefix=prefix, after=after, limit=limit)
            rows += page
            if len(page) < limit:
                break
        return tuple(
            Listed(
                row.path,
                spell_hash(row.content_sha256),
                row.media_type,
                row.size,
                self.ids.index(row.introduced_by),
            )
            for row in rows
        )

    def list_versions(self, caller: Caller) -> tuple[Sealed, ...]:
        self._access(caller)
        return tuple(self._sealed(row) for row in versions.versions_of(self.store_id))

    def _sealed(self, row: Any) -> Sealed:
        note = getattr(row, "note", None)
        return Sealed(
            self.ids.index(row.id),
            self._number(row.parent_id),
            row.kind,
            self._person(row.actor_uuid),
            note.message if note else None,
            row.document_count,
            row.total_bytes,
            spell_hash(row.tree_hash),
        )

    def _person(self, actor_uuid: Any) -> str:
        actor = id_from_uuid("principal", actor_uuid)
        return next(name for name, person in self.people.items() if person.id == actor)

    def list_refs(self, caller: Caller) -> frozenset[tuple[RefName, int]]:
        self._access(caller)
        rows = refs.refs_of(self.store_id)
        return frozenset((self._ref_name(row), self.ids.index(row.version_id)) for row in rows)

    def list_moves(self, caller: Caller) -> tuple[RefMove, ...]:
        self._access(caller)
        return tuple(
            RefMove(
                self._ref_name(row),
                self._number(row.before_id),
                self._number(row.after_id),
                self._person(row.actor_uuid),
            )
            for row in refs.reflog_of(self.store_id)
        )

    def diff(self, caller: Caller, base: int, head: int) -> tuple[Change, ...]:
        self._access(caller)
        ends = [versions.resolve(self.store_id, self._id(number)) for number in (base, head)]
        return tuple(
            Change(change.status, change.path, change.old_path) for change in diffs.tree_diff(*ends)
        )

    def history(
        self, caller: Caller, path: str, version: int | None = None, limit: int = 3
    ) -> tuple[Step, ...]:
        self._access(caller)
        exact = versions.resolve(self.store_id, self._id(version))
        rows: list[Any] = []
        while True:
            before = rows[-1].version_id if rows else None
            page = versions.path_history(self.store_id, path, exact, before=before, limit=limit)
            rows += page
            if len(page) < limit:
                break
        return tuple(
            Step(
                self.ids.index(row.version_id),
                row.change,
                spell_hash(row.content_sha256) if row.content_sha256 else None,
            )
            for row in rows
        )


def _operation(operation: Operation) -> change_sets.Operation:
    expected = parse_hash(operation.expected) if operation.expected else None
    put = (
        Put(text=operation.text, media_type=operation.media_type)
        if isinstance(operation, OraclePut)
        else None
    )
    return change_sets.Operation(operation.path, put, expected)


def answer(ask: Any, *arguments: Any, **options: Any) -> Any:
    """What oracle or product answers: a value, or the type of its refusal."""
    try:
        return ask(*arguments, **options)
    except Refused as refusal:
        return refusal.type
    except ApiError as error:
        return error.type


__all__ = ["Server", "answer", "content_sha256"]
