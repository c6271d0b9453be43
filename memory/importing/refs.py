"""Refs of an export: only canonical becomes one here, the others are reported (contract I1)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from memory.importing.faults import BundleFault
from memory.importing.reading import Reader, Run
from memory.importing.shapes import ref_order
from memory.models import ImportRevision
from wire.ids import uuid_from_id

AT_ONCE: Final = 200
TOLD_AT_MOST: Final = 200


@dataclass(slots=True)
class ReadRefs:
    """The refs of an export.

    Attributes:
        canonical: the version that canonical points at.
        left_out: the other refs, 200 of them at most, and how many there are of each kind.
    """

    canonical: str | None = None
    left_out: list[dict[str, Any]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    last: tuple[int, str] = (-1, "")


def read_refs(store_id: str, reader: Reader) -> ReadRefs:
    """Read all refs, which end an export.

    Raises:
        BundleFault: there is something else, they are not in order, one points nowhere, or there
            is no canonical.
    """
    refs = ReadRefs()
    while run := reader.take(AT_ONCE):
        if run.kind != "ref":
            raise run.fault(0, "no revision has room for it, or it is not in order")
        versions = _versions(store_id, run)
        for index, fields in enumerate(run.fields):
            _add(refs, run, index, versions.get(fields["revision"]))
    if refs.canonical is None:
        raise BundleFault("The export has no canonical ref.")
    return refs


def _versions(store_id: str, run: Run) -> Mapping[str, str]:
    named = {fields["revision"]: uuid_from_id(fields["revision"]) for fields in run.fields}
    rows = ImportRevision.objects.filter(store=store_id, source_uuid__in=named.values())
    found = dict(rows.values_list("source_uuid", "version"))
    return {name: found[uuid] for name, uuid in named.items() if uuid in found}


def _add(refs: ReadRefs, run: Run, index: int, version_id: str | None) -> None:
    fields = run.fields[index]
    place = ref_order(fields)
    if place <= refs.last:
        raise run.fault(index, "refs come by kind, then by owner, each once; not so this one")
    if version_id is None:
        raise run.fault(index, f"the export has no revision {fields['revision']}")
    refs.last = place
    if fields["kind"] == "canonical":
        refs.canonical = version_id
        return
    refs.counts[fields["kind"]] += 1
    if len(refs.left_out) < TOLD_AT_MOST:
        refs.left_out.append({"kind": fields["kind"], "owner": place[1], "version": version_id})
