"""Imports: a line of versions from elsewhere becomes a store of its own (contract I2)."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection

from database.transactions import durable_once, step
from memory import refs
from memory.actions.stores import StoreSettings, insert_store, require_creation
from memory.actors import IMPORTER
from memory.chains import Chain, NextVersion
from memory.models import Lifecycle, MemoryVersion, VersionKind
from memory.queries.retention import policy_of
from memory.retention import body_ceiling_in, require_durable_bodies_in
from memory.treehash import spell_hash
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
    _take_time()
    for next_version in versions:
        chain.seal(next_version)
        if chain.batch.is_full:
            chain.store()
    chain.store()
    if chain.tip is None:
        raise Malformed("There is no document to import.")
    _require_policy(take_turn(caller), policy)
    _open_store(caller, settings, chain.store_id, chain.tip)
    return ImportedStore(chain.store_id, chain.tip, chain.length)


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
    refs.create(store_id=store_id, name=refs.CANONICAL, at=canonical.id, actor=IMPORTER)
    record(
        caller=caller,
        workspace_id=caller.workspace_id,
        event="store.imported",
        target_kind="store",
        target_id=store_id,
        detail={
            "version": canonical.id,
            "versions": canonical.depth + 1,
            "documents": canonical.document_count,
            "tree_hash": spell_hash(canonical.tree_hash),
        },
    )
