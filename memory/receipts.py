"""Receipts: a write with an Idempotency-Key happens once and is told as often as asked."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import batched
from typing import Any, Final

from django.db import connection
from django.db.models import QuerySet
from django.db.models.fields.json import KeyTextTransform

from database.transactions import step
from memory.models import IdempotencyReceipt
from tenancy.caller import Caller
from wire.errors import BackendUnavailable, Conflict
from wire.idempotency import IdempotencyKey
from wire.ids import uuid_from_id

_CLAIM = """
INSERT INTO memory_idempotencyreceipt
    (workspace_id, caller_kind, caller_uuid, key, fingerprint, store_id, created_at)
VALUES (%s, %s, %s, %s, %s, %s, now())
ON CONFLICT (workspace_id, caller_kind, caller_uuid, key) DO NOTHING
RETURNING id
"""
_KEEP = """
UPDATE memory_idempotencyreceipt SET outcome = %s, store_id = coalesce(%s, store_id) WHERE id = %s
"""

NAMED_AT_ONCE: Final = 10_000
"""Writes that one statement names: the protocol ends at 65,535, and histories do not."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """A claimed key, or that a write came without one.

    Attributes:
        id: of the row; None without a key.
        outcome: None for a first write, else what that write recorded.
    """

    id: int | None
    outcome: dict[str, Any] | None


WITHOUT_KEY: Final = Receipt(id=None, outcome=None)


@step
def claim(*, caller: Caller, key: IdempotencyKey | None, store_id: str | None = None) -> Receipt:
    """Take a key for this transaction, or find what it was used for (contract §0).

    Two at once: the second waits here until the first commits or rolls back. A rolled back
    write leaves no receipt, so a refused request may be sent again with the same key. A write
    without a key is always a first one.

    Raises:
        Conflict: the key was used with another input, or for what was redacted since.
    """
    if key is None:
        return WITHOUT_KEY
    mine = _insert(caller, key, store_id)
    if mine is not None:
        return Receipt(mine, None)
    return _judged(_left_by(caller, key).get(), key)


def recall(*, caller: Caller, key: IdempotencyKey) -> Receipt:
    """What a key was used for, without taking it.

    Raises:
        Conflict: as `claim` says.
    """
    found = _left_by(caller, key).first()
    return _judged(found, key) if found else WITHOUT_KEY


def _left_by(caller: Caller, key: IdempotencyKey) -> QuerySet[IdempotencyReceipt]:
    return IdempotencyReceipt.objects.filter(
        workspace=caller.workspace_id, caller_kind=caller.kind, caller_uuid=caller.id, key=key.key
    )


def _judged(found: IdempotencyReceipt, key: IdempotencyKey) -> Receipt:
    if found.fingerprint is None:
        raise Conflict("What this Idempotency-Key wrote was redacted, and is not told again.")
    if found.fingerprint != key.fingerprint:
        raise Conflict("This Idempotency-Key was already used with a different request.")
    return Receipt(found.id, found.outcome)


def require_recorded(outcome: Mapping[str, Any], *names: str) -> None:
    """Refuse to guess what came of a write whose receipt does not tell all of it (contract C7).

    Raises:
        BackendUnavailable: an entry is missing.
    """
    if not outcome.keys() >= set(names):
        raise BackendUnavailable(
            "What came of this request was not recorded whole, and is not guessed."
        )


@step
def keep(receipt: Receipt, outcome: dict[str, Any], store_id: str | None = None) -> None:
    """Record the outcome: identifiers and closed words only, never bodies or paths.

    Args:
        store_id: the store that this very write created, so that the receipt dies with it.
    """
    if receipt.id is None:
        return
    made = uuid_from_id(store_id) if store_id else None
    with connection.cursor() as cursor:
        cursor.execute(_KEEP, [json.dumps(outcome), made, receipt.id])


@step
def forget(store_id: str, naming: str, ids: Iterable[str]) -> int:
    """Forget what was sent with some writes, and what became of them; that they were stays.

    Args:
        naming: the entry of the outcome that names what was written: `version`, `proposal`.
        ids: what was written.

    Returns:
        how many receipts there were.
    """
    told = (_telling(store_id, naming, some) for some in batched(ids, NAMED_AT_ONCE))
    return sum(receipts.update(fingerprint=None, outcome={}) for receipts in told)


@step
def forget_unsealed(store_id: str) -> int:
    """The same for all writes of a store that altered nothing: no version tells of which paths."""
    unsealed = IdempotencyReceipt.objects.filter(
        store=store_id, fingerprint__isnull=False, outcome__contains={"version": None}
    )
    return unsealed.update(fingerprint=None, outcome={})


@step
def forget_beside_stores(workspace_id: str, naming: str, ids: Collection[str]) -> int:
    """The same for writes of a Workspace that are in no store, such as the making of a Session.

    One statement over all receipts of the Workspace: for workers.
    """
    return _beside_stores(workspace_id, naming, ids).update(fingerprint=None, outcome={})


def is_told_beside_stores(workspace_id: str, naming: str, ids: Collection[str]) -> bool:
    """Whether a receipt still tells of one of some writes, named as in `forget_beside_stores`."""
    return _beside_stores(workspace_id, naming, ids).exists()


def is_told(store_id: str, naming: str, ids: Iterable[str]) -> bool:
    """Whether a receipt of the store still tells of one of some writes, named as in `forget`."""
    return any(_telling(store_id, naming, some).exists() for some in batched(ids, NAMED_AT_ONCE))


def _telling(store_id: str, naming: str, ids: Iterable[str]) -> QuerySet[IdempotencyReceipt]:
    receipts = IdempotencyReceipt.objects.filter(store=store_id, fingerprint__isnull=False)
    written = KeyTextTransform(naming, "outcome")
    return receipts.annotate(written=written).filter(written__in=ids)


def _beside_stores(
    workspace_id: str, naming: str, ids: Collection[str]
) -> QuerySet[IdempotencyReceipt]:
    receipts = IdempotencyReceipt.objects.filter(
        workspace=workspace_id, store=None, fingerprint__isnull=False
    )
    written = KeyTextTransform(naming, "outcome")
    return receipts.annotate(written=written).filter(written__in=list(ids))


def _insert(caller: Caller, key: IdempotencyKey, store_id: str | None) -> int | None:
    values = [
        uuid_from_id(caller.workspace_id),
        caller.kind,
        uuid_from_id(caller.id),
        key.key,
        key.fingerprint,
        uuid_from_id(store_id) if store_id else None,
    ]
    with connection.cursor() as cursor:
        cursor.execute(_CLAIM, values)
        row = cursor.fetchone()
    return int(row[0]) if row else None
