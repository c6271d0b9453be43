"""Refs: the only mutable part of a store, moved by compare-and-swap (contract M4)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from database.compiled import compiled, compiled_update
from database.rows import insert_rows
from database.transactions import step
from memory.actors import Actor
from memory.models import MemoryVersion, Ref, RefKind, RefMove
from wire.errors import Conflict, NotFound
from wire.times import now


@dataclass(frozen=True, slots=True)
class RefName:
    """What a ref is called: canonical, or a kind and the identifier of its owner."""

    kind: RefKind
    owner_id: str | None = None

    def __str__(self) -> str:
        return f"{self.kind} {self.owner_id}" if self.owner_id else str(self.kind)


CANONICAL = RefName(RefKind.CANONICAL)


LIVE = (RefKind.CANONICAL, RefKind.SESSION, RefKind.CURATION)
"""Refs that move on; a Proposal's is frozen at its head."""


def current(store_id: str, name: RefName) -> MemoryVersion:
    """The version a ref points at, with what sealing a child of it needs.

    Raises:
        NotFound: the store has no such ref.
    """
    found = _current(name.kind, store_id=store_id, owner_id=name.owner_id)
    if not found:
        raise no_such_ref(name)
    version: MemoryVersion = found[0].version
    return version


@compiled
def _current(kind: RefKind, *, store_id: str, owner_id: str | None) -> QuerySet[Ref]:
    ancestors = ("version", "version__jump", "version__jump__jump")
    return _named(store_id, RefName(kind, owner_id)).select_related(*ancestors)


@step
def hold(*, store_id: str, name: RefName) -> None:
    """Keep a ref where it is until this transaction ends; others that move it wait.

    For writes that name no version and so must not lose to an unrelated one.

    Raises:
        NotFound: the store has no such ref.
    """
    if not _held(name.kind, store_id=store_id, owner_id=name.owner_id):
        raise no_such_ref(name)


@compiled
def _held(kind: RefKind, *, store_id: str, owner_id: str | None) -> QuerySet[Ref, Any]:
    named = _named(store_id, RefName(kind, owner_id))
    return named.select_for_update(no_key=True).values_list("id")


@step
def hold_canonical(store_ids: Collection[str]) -> None:
    """Keep canonical of some stores where it is, in the order in which everybody locks refs."""
    canonical = Ref.objects.filter(store__in=list(store_ids), kind=RefKind.CANONICAL)
    list(canonical.order_by("id").select_for_update(no_key=True).values_list("id"))


@step
def hold_live(store_id: str) -> list[Ref]:
    """Keep every ref of a store that moves where it is, and return them with their versions.

    By ID, which is the order in which everybody locks refs.
    """
    live = Ref.objects.filter(store=store_id, kind__in=LIVE).order_by("id")
    held = live.select_for_update(no_key=True, of=("self",))
    return list(held.select_related("version", "version__jump", "version__jump__jump"))


def name_of(ref: Ref) -> RefName:
    """What a ref is called."""
    return RefName(RefKind(ref.kind), ref.owner_id)


@step
def create(*, store_id: str, name: RefName, at: str, actor: Actor) -> None:
    """Make a ref that does not exist yet (the unique constraint refuses a second)."""
    create_in_each(name=name, at={store_id: at}, actor=actor)


@step
def create_in_each(*, name: RefName, at: Mapping[str, str], actor: Actor) -> None:
    """The same in several stores, each at a version of its own. Two statements."""
    moment = now()
    rows = [
        Ref(
            store_id=store_id,
            kind=name.kind,
            owner_uuid=name.owner_id,
            version_id=version_id,
            updated_at=moment,
        )
        for store_id, version_id in at.items()
    ]
    insert_rows(rows)
    insert_rows(
        [_movement(row.store_id, name, None, row.version_id, actor, moment) for row in rows]
    )


@step
def advance(*, store_id: str, name: RefName, expected: str, to: str, actor: Actor) -> None:
    """Move a ref from exactly `expected` to `to`: one conditional UPDATE decides.

    Raises:
        Conflict: the ref is not at `expected` any more, or gone; names where it is.
    """
    moment = now()
    place = {"store_id": store_id, "owner_id": name.owner_id}
    if not _move(name.kind, **place, expected=expected, to=to, at=moment):
        found = _named(store_id, name).values_list("version", flat=True).first()
        raise moved(name, expected, found)
    insert_rows([_movement(store_id, name, expected, to, actor, moment)])


@compiled_update
def _move(
    kind: RefKind, *, store_id: str, owner_id: str | None, expected: str, to: str, at: datetime
) -> tuple[QuerySet[Ref], dict[str, Any]]:
    there = _named(store_id, RefName(kind, owner_id)).filter(version=expected)
    return there, {"version": to, "updated_at": at}


@step
def release(*, store_id: str, name: RefName, actor: Actor) -> None:
    """Drop a ref: a retention root goes, nothing is erased. Does nothing when it is gone."""
    refs = _named(store_id, name)
    found = refs.values_list("version", flat=True).first()
    if found is not None and refs.filter(version=found).delete()[0]:
        insert_rows([_movement(store_id, name, found, None, actor, now())])


def _named(store_id: str, name: RefName) -> QuerySet[Ref]:
    return Ref.objects.filter(store=store_id, kind=name.kind, owner_uuid=name.owner_id)


def no_such_ref(name: RefName) -> NotFound:
    """The error for a ref that the store does not have."""
    return NotFound(f"The store has no {name} ref.")


def moved(name: RefName, expected: str, found: str | None) -> Conflict:
    """The error for a ref that is not where the caller thought."""
    if found is None:
        return Conflict(f"The {name} ref is gone; expected it at {expected}.")
    return Conflict(f"The {name} ref is at {found}, not at {expected}.")


def _movement(
    store_id: str,
    name: RefName,
    before: str | None,
    after: str | None,
    actor: Actor,
    at: datetime,
) -> RefMove:
    return RefMove(
        store_id=store_id,
        kind=name.kind,
        owner_uuid=name.owner_id,
        before_id=before,
        after_id=after,
        at=at,
        **actor.columns(),
    )
