"""Imports from git: a line of versions from elsewhere becomes a store of its own (contract I2)."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection

from database.transactions import durable_once, step
from memory import refs
from memory.access import StoreAccess
from memory.actions.stores import StoreSettings, insert_store, require_creation
from memory.actors import IMPORTER
from memory.importing.canonical import point_canonical
from memory.models import Lifecycle, MemoryVersion, VersionKind
from memory.proposing import propose
from memory.queries.retention import policy_of
from memory.retention import (
    body_ceiling,
    body_ceiling_in,
    require_durable_bodies,
    require_durable_bodies_in,
)
from memory.stores import finish_write
from memory.trees.hashing import spell_hash
from memory.versions.chains import Chain, NextVersion
from tenancy.administration import take_turn
from tenancy.audit import record
from tenancy.caller import Caller
from wire.errors import Conflict, Malformed
from wire.ids import new_id


@dataclass(frozen=True, slots=True)
class ImportedStore:
    """A store that an import made: its canonical version, and how many versions lead there."""

    store_id: str
    canonical: MemoryVersion
    versions: int


@dataclass(frozen=True, slots=True)
class ResumedImport:
    """What an import that went on made.

    Attributes:
        tip: the last new version; None when nothing was new.
        versions: how many are new.
        proposal_id: the Proposal that asks for them, where canonical had moved on.
    """

    tip: MemoryVersion | None
    versions: int
    proposal_id: str | None = None


@durable_once
def import_store(
    *, caller: Caller, settings: StoreSettings, versions: Iterable[NextVersion]
) -> ImportedStore:
    """Make a store that begins with the first of some versions (contract M3) and ends at the last.

    One transaction, however long: until it commits nobody sees anything of the store, and when
    it fails, or the process is killed, the database has nothing to clean up. It is not repeated
    on a deadlock, as other actions are, since the versions come from a source read only once.

    Raises:
        PolicyDenied, Malformed: the caller may not make such a store; see `create_store`.
        PolicyDenied: zero data retention (contract X3).
        InvalidKey, DisabledTenancy: the caller's credential ended meanwhile.
        Malformed: no version has a document.
        Conflict: the Workspace's retention policy changed meanwhile.
        Conflict: a document would also be another's directory (contract M2).
        RangeTooLarge: more documents than a store may hold.
    """
    require_creation(caller, settings)
    require_durable_bodies_in(caller.workspace_id)
    policy = policy_of(caller.workspace_id).version
    ceiling = body_ceiling_in(caller.workspace_id)
    chain = Chain(new_id("store"), VersionKind.IMPORT, IMPORTER, ceiling)
    _seal_all(chain, versions)
    if chain.tip is None:
        raise Malformed("There is no document to import.")
    _require_policy(take_turn(caller), policy)
    _open_store(caller, settings, chain.store_id, chain.tip)
    return ImportedStore(chain.store_id, chain.tip, chain.length)


@durable_once
def resume_import(
    *, access: StoreAccess, last: MemoryVersion, versions: Iterable[NextVersion]
) -> ResumedImport:
    """Go on with an import behind its last version (contract I2).

    Canonical moves to the new tip only while it is still at `last`, else a Proposal asks for what
    is new (contract C3).

    Args:
        last: the last imported version, with the ancestors that sealing a child reads.

    Raises:
        NotFound, ReadOnly: the store is not active.
        PolicyDenied: zero data retention.
        Conflict: a document would also be another's directory, or a path was redacted meanwhile.
        RangeTooLarge: more documents than a store may hold.
    """
    _require_resumable(access)
    chain = Chain(access.store_id, VersionKind.IMPORT, IMPORTER, body_ceiling(access), last)
    _seal_all(chain, versions)
    if chain.length == 0 or chain.tip is None:
        return ResumedImport(None, 0)
    proposal_id = _move_canonical(access, last, chain.tip)
    _audit(access.caller, chain.tip, chain.length)
    finish_write(access, _require_resumable)
    return ResumedImport(chain.tip, chain.length, proposal_id)


def _require_resumable(access: StoreAccess) -> None:
    access.require_active()
    require_durable_bodies(access)


@step
def _move_canonical(access: StoreAccess, last: MemoryVersion, tip: MemoryVersion) -> str | None:
    """Make the tip canonical, or propose it where canonical is elsewhere by now."""
    refs.hold(store_id=access.store_id, name=refs.CANONICAL)
    if refs.current(access.store_id, refs.CANONICAL).id != last.id:
        title = f"Import of {tip.depth - last.depth:,} further versions"
        return propose(access, base=last, head=tip, title=title, author=IMPORTER)
    point_canonical(store_id=access.store_id, to=tip.id, expected=last.id)
    return None


@step
def _seal_all(chain: Chain, versions: Iterable[NextVersion]) -> None:
    _take_time()
    for next_version in versions:
        chain.seal(next_version)
        if chain.batch.is_full:
            chain.store()
    chain.store()


@step
def _take_time() -> None:
    """Lift the limits that requests have: a source may be slow, and COMMIT checks every row."""
    with connection.cursor() as cursor:
        for limit in ("statement_timeout", "idle_in_transaction_session_timeout"):
            cursor.execute("SELECT set_config(%s, '0', true)", [limit])


def _require_policy(caller: Caller, version: int) -> None:
    """Refuse bodies whose ceiling is not what the policy says any more."""
    require_durable_bodies_in(caller.workspace_id)
    if policy_of(caller.workspace_id).version != version:
        raise Conflict("The retention policy changed during the import. Begin it anew.")


@step
def _open_store(
    caller: Caller, settings: StoreSettings, store_id: str, canonical: MemoryVersion
) -> None:
    """Insert the store's own row, now that its versions are there, and point canonical at the last.

    The row comes last (foreign keys are checked at commit): the owner's grant locks the row of
    the Workspace, for which nobody should have to wait longer than an ordinary write takes.
    """
    insert_store(caller=caller, settings=settings, lifecycle=Lifecycle.ACTIVE, store_id=store_id)
    point_canonical(store_id=store_id, to=canonical.id)
    _audit(caller, canonical, canonical.depth + 1)


@step
def _audit(caller: Caller, tip: MemoryVersion, versions: int) -> None:
    record(
        caller=caller,
        event="store.imported",
        target_kind="store",
        target_id=tip.store_id,
        detail={
            "version": tip.id,
            "versions": versions,
            "documents": tip.document_count,
            "tree_hash": spell_hash(tip.tree_hash),
        },
    )
