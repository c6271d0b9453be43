"""Building a store out of an export that was received, a bounded batch after the other (I1).

Items come in a fixed order of kinds, and so do the parts: first revisions, fences and document
versions are taken page by page; then each revision's tree is built from its entries; then the refs
are read and the store opens, all in one transaction. Until then nobody sees anything of it.

Where a batch begins is told by a position of numbers and identifiers, so that whoever does the next
one need not be who did the last.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import F

from database.transactions import step
from memory.actions.stores import Owner, grant_to_owner
from memory.importing.auditing import audit_import
from memory.importing.canonical import point_canonical
from memory.importing.documents import take_documents, take_fences
from memory.importing.faults import BundleFault
from memory.importing.reading import Reader, Run
from memory.importing.refs import ReadRefs, read_refs
from memory.importing.revisions import take_revisions
from memory.importing.shapes import KINDS, MAX_PAGE_ITEMS
from memory.importing.trees import TreeBuilder
from memory.models import (
    BodyErasure,
    DocumentVersion,
    ImportDocument,
    ImportRevision,
    ImportState,
    Lifecycle,
    MemoryStore,
    MemoryVersion,
    OwnerKind,
    PathFence,
    StoreImport,
)
from memory.retention import body_ceiling_in, require_durable_bodies_in
from memory.trees.hashing import spell_hash
from tenancy.administration import take_turn
from tenancy.caller import platform_caller
from wire.ids import id_from_uuid
from wire.times import now

PAGES_AT_ONCE: Final = 4
REVISIONS_AT_ONCE: Final = 100
FIRST_OF_TREES: Final = "revision_entry"


@dataclass(frozen=True, slots=True)
class Built:
    """What a batch did: how many items it took, and where the next one begins (None at the end)."""

    taken: int
    position: dict[str, Any] | None


@step
def build_batch(made: StoreImport, position: Mapping[str, Any]) -> Built:
    """Build the next of a store.

    Args:
        made: locked for the transaction, so that nobody abandons it meanwhile.
        position: where the batch before ended; empty at the beginning.

    Raises:
        BundleFault: the export contradicts itself; the message names the item.
        PolicyDenied: zero data retention forbids the texts by now.
    """
    reader = Reader(
        made.store_id, position.get("page", 0), position.get("item", 0), whole=made.whole
    )
    if "revision" not in position:
        return _take_items(made, reader, position)
    if position["revision"] < made.declared["revision"]:
        return _build_trees(made, reader, position["revision"])
    _open_store(made, read_refs(made.store_id, reader))
    return Built(reader.taken, None)


def _take_items(made: StoreImport, reader: Reader, position: Mapping[str, Any]) -> Built:
    last_kind = position.get("kind", KINDS[0])
    document = position.get("document", "")
    end = reader.page + PAGES_AT_ONCE
    while reader.page < end and _comes_before_trees(reader.peek()):
        run = reader.take(MAX_PAGE_ITEMS)
        assert run
        if KINDS.index(run.kind) < KINDS.index(last_kind):
            raise run.fault(0, f"it comes behind a {last_kind}; kinds are not in order")
        last_kind = run.kind
        document = _take(made.store_id, run, document)
    place = {"page": reader.page, "item": reader.item}
    if _comes_before_trees(reader.peek()):
        return Built(reader.taken, {**place, "kind": last_kind, "document": document})
    taken = reader.taken
    _require_all_taken(made, reader)
    return Built(taken, {**place, "revision": 0})


def _require_all_taken(made: StoreImport, reader: Reader) -> None:
    """Refuse an entry or a ref that comes before all of the kinds before it."""
    taken = (ImportRevision.objects, PathFence.objects, ImportDocument.objects)
    for kind, rows in zip(KINDS, taken, strict=False):
        if rows.filter(store=made.store_id).count() < made.declared[kind]:
            run = reader.take(1)
            assert run
            raise run.fault(0, f"a {kind} comes behind it; kinds are not in order")


def _comes_before_trees(kind: str | None) -> bool:
    return kind is not None and KINDS.index(kind) < KINDS.index(FIRST_OF_TREES)


def _take(store_id: str, run: Run, last_document: str) -> str:
    if run.kind == "revision":
        take_revisions(store_id, run)
    elif run.kind == "path_fence":
        take_fences(store_id, run)
    else:
        return take_documents(store_id, run, last_document)
    return last_document


def _build_trees(made: StoreImport, reader: Reader, position: int) -> Built:
    builder = TreeBuilder(made.store_id, reader, body_ceiling_in(made.workspace_id))
    place, taken = (reader.page, reader.item), 0
    for revision in _revisions(made.store_id, position):
        if builder.is_full or not builder.build(revision):
            break
        position = revision.position + 1
        place, taken = (reader.page, reader.item), reader.taken
    builder.store()
    return Built(taken, {"page": place[0], "item": place[1], "revision": position})


def _revisions(store_id: str, first: int) -> list[ImportRevision]:
    rows = ImportRevision.objects.filter(store=store_id, position__gte=first)
    return list(rows.select_related("version__parent").order_by("position")[:REVISIONS_AT_ONCE])


@step
def _open_store(made: StoreImport, read: ReadRefs) -> None:
    """Open the store: point canonical, tell what came, and let people see it."""
    assert read.canonical
    _require_all_documents(made)
    take_turn(platform_caller(made.workspace))  # so that no policy changes from here on
    require_durable_bodies_in(made.workspace_id)
    _grant(made)
    point_canonical(store_id=made.store_id, to=read.canonical)
    fences = PathFence.objects.filter(store=made.store_id).count()
    moment = now()
    MemoryStore.objects.filter(id=made.store_id, lifecycle=Lifecycle.PENDING).update(
        lifecycle=Lifecycle.ACTIVE,
        generation=F("generation") + 1,
        erasure_epoch=F("erasure_epoch") + int(fences > 0),  # what makes writers ask for fences
        updated_at=moment,
    )
    made.state, made.finished_at, made.touched_at = ImportState.SUCCEEDED, moment, moment
    made.result = _told(made, read, fences)
    made.save(update_fields=["state", "finished_at", "touched_at", "result"])
    _audit(made, read.canonical)


@step
def _grant(made: StoreImport) -> None:
    owner = Owner(OwnerKind(made.store.owner_kind), made.store.owner_id)
    caller = platform_caller(made.workspace)
    grant_to_owner(caller=caller, owner=owner, store_id=made.store_id)


def _require_all_documents(made: StoreImport) -> None:
    """Refuse a document version that no revision holds."""
    introduced = DocumentVersion.objects.filter(store=made.store_id)
    if introduced.count() == made.declared["document_version"]:
        return
    waiting = ImportDocument.objects.filter(store=made.store_id)
    lost = waiting.exclude(id__in=introduced.values("id")).order_by("source_uuid").first()
    assert lost
    name = id_from_uuid("document", lost.source_uuid)
    raise BundleFault(f"document_version {name}: no revision holds it; it stands at {lost.path}.")


def _told(made: StoreImport, read: ReadRefs, fences: int) -> dict[str, Any]:
    erasures = BodyErasure.objects.filter(document_version__store=made.store_id)
    return {
        "version": read.canonical,
        "versions": made.declared["revision"],
        "document_versions": made.declared["document_version"],
        "erased_bodies": erasures.count(),
        "path_fences": fences,
        "refs_left_out": {"counts": dict(read.counts), "refs": read.left_out},
    }


def _audit(made: StoreImport, canonical_id: str) -> None:
    canonical = MemoryVersion.objects.get(id=canonical_id)
    audit_import(
        caller=platform_caller(made.workspace),
        made=made,
        event="store.imported",
        detail={
            "version": canonical.id,
            "versions": made.declared["revision"],
            "documents": canonical.document_count,
            "tree_hash": spell_hash(canonical.tree_hash),
        },
    )
