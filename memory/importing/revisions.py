"""Revisions of an export: each becomes a version, whose tree is built and proven later (I1)."""

from typing import Any, Final
from uuid import UUID

from django.conf import settings

from database.rows import copy_rows
from database.transactions import step
from memory.actors import IMPORTER
from memory.importing.reading import Run
from memory.models import ImportRevision, MemoryVersion, VersionKind, VersionNote
from memory.trees.hashing import parse_hash
from memory.versions.ancestry import jump_from
from wire.ids import new_id, uuid_from_id
from wire.times import now, parse_time

_WITH_ANCESTORS: Final = ("version", "version__jump", "version__jump__jump")

type Place = tuple[int, UUID]
"""What revisions are ordered by: how many parents are above, then ID."""


@step
def take_revisions(store_id: str, run: Run) -> None:
    """Store the next revisions as versions of the store, with the export's claims beside them.

    Raises:
        BundleFault: a revision is not where it belongs, its parent is not above it, or it would
            hold more documents than a store may.
    """
    rows = ImportRevision.objects.filter(store=store_id).select_related("version")
    last = rows.order_by("-position").first()
    position = last.position + 1 if last else 0
    place = (last.version.depth, last.source_uuid) if last else None
    known = _known(store_id, run)
    made: list[ImportRevision] = []
    for index, fields in enumerate(run.fields):
        row = _revision(store_id, run, index, known)
        place = _next_place(run, index, place, (row.version.depth, row.source_uuid))
        row.position = position + index
        if fields["id"] in known:
            raise run.fault(index, "the export has this revision already")
        known[fields["id"]] = row.version
        made.append(row)
    copy_rows([row.version for row in made])
    copy_rows([_claims(row.version, fields) for row, fields in zip(made, run.fields, strict=True)])
    copy_rows(made)


def _known(store_id: str, run: Run) -> dict[str, MemoryVersion]:
    """The versions of revisions that came before, of those that are named here."""
    named = {fields["id"]: uuid_from_id(fields["id"]) for fields in run.fields}
    parents = {fields["parent_revision"] for fields in run.fields} - {None}
    named |= {parent: uuid_from_id(parent) for parent in parents}
    rows = ImportRevision.objects.filter(store=store_id, source_uuid__in=named.values())
    found = {row.source_uuid: row.version for row in rows.select_related(*_WITH_ANCESTORS)}
    return {name: found[uuid] for name, uuid in named.items() if uuid in found}


def _revision(
    store_id: str, run: Run, index: int, known: dict[str, MemoryVersion]
) -> ImportRevision:
    fields = run.fields[index]
    parent_id = fields["parent_revision"]
    if parent_id is not None and parent_id not in known:
        raise run.fault(index, f"parent_revision: {parent_id} does not come before it")
    if fields["document_count"] > settings.MAX_DOCUMENTS:
        raise run.fault(index, f"document_count: a store holds {settings.MAX_DOCUMENTS:,} at most")
    version = _version(store_id, fields, known[parent_id] if parent_id else None)
    source = uuid_from_id(fields["id"])
    return ImportRevision(store_id=store_id, source_uuid=source, version=version)


def _version(store_id: str, fields: dict[str, Any], parent: MemoryVersion | None) -> MemoryVersion:
    return MemoryVersion(
        id=new_id("version"),
        store_id=store_id,
        parent=parent,
        jump=jump_from(parent) if parent else None,
        depth=parent.depth + 1 if parent else 0,
        kind=VersionKind.IMPORT,
        document_count=fields["document_count"],
        total_bytes=fields["total_bytes"],
        tree_hash=parse_hash(fields["tree_hash"]),
        created_at=now(),
        **IMPORTER.columns(),
    )


def _next_place(run: Run, index: int, last: Place | None, place: Place) -> Place:
    if last is not None and place[0] == 0:
        raise run.fault(index, "parent_revision: only the first revision has none")
    if last is not None and place <= last:
        raise run.fault(index, "revisions come parents first, then by ID; this one is not in order")
    return place


def _claims(version: MemoryVersion, fields: dict[str, Any]) -> VersionNote:
    """What the export says of a revision, kept beside the version that it became."""
    return VersionNote(
        version=version,
        source_id=fields["id"],
        source_time=parse_time(fields["created_at"]),
        source_kind=fields["kind"],
        source_actor=fields["actor"],
    )
