"""Exports, forks and imports."""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Self

from tests.oracle.copies import Copied
from tests.oracle.exports import Exported, Graph, Pointer, Whole
from tests.oracle.values import Caller, Sealed
from tests.properties.product.erasure import finish_job
from tests.properties.product.histories import Histories
from tests.properties.product.provenance import exported_provenance
from tests.properties.product.requests import body_of, moment

KINDS = ("revision", "path_fence", "document_version", "revision_entry", "ref")
MIB = 1024 * 1024
IMPORTS = "/v1/memory-store-imports"


class Exports(Histories):
    """How one store is taken elsewhere."""

    def export(self, caller: Caller) -> Whole:
        body = self.get(caller, "export")
        assert body["store"] == self.id
        return Whole(
            revisions=self._revisions(body["revisions"]),
            fences=tuple(body["path_fences"]),
            rows=frozenset(
                (self._revision(row["revision"]), _exported(row)) for row in body["documents"]
            ),
            refs=self._pointers(body["refs"]),
        )

    def export_pages(self, caller: Caller, limit: int = 200) -> Graph:
        items = [item for page in self.bundle(caller, limit) for item in page["items"]]
        assert [KINDS.index(item["kind"]) for item in items] == sorted(
            KINDS.index(item["kind"]) for item in items
        )
        revisions, fences, documents, entries, refs = (
            [item[kind] for item in items if item["kind"] == kind] for kind in KINDS
        )
        assert [one["id"] for one in documents] == sorted(one["id"] for one in documents)
        introduced = self._introduced(entries)
        return Graph(
            revisions=self._revisions(revisions),
            fences=tuple(fence["path"] for fence in fences),
            documents=frozenset((introduced[one["id"]], _exported(one)) for one in documents),
            entries=tuple(
                (self._revision(one["revision"]), one["path"], introduced[one["document_version"]])
                for one in entries
            ),
            refs=self._pointers(refs),
        )

    def bundle(self, caller: Caller, limit: int) -> list[Any]:
        """All pages of an export, each of them as it should be."""
        pages = [self.export_page(caller, limit)]
        while pages[-1]["next_page"]:
            pages.append(self.export_page(caller, limit, pages[-1]["next_page"]))
        manifest = pages[0]["manifest"]
        assert [page["page_ordinal"] for page in pages] == list(range(len(pages)))
        assert all(page["manifest"] == manifest for page in pages)
        for page in pages:
            assert len(page["items"]) == limit or page is pages[-1]
            assert page["item_bytes"] == sum(map(_canonical_bytes, page["items"])) <= MIB
        for kind in KINDS:
            found = [item for page in pages for item in page["items"] if item["kind"] == kind]
            assert manifest[f"{kind}_count"] == len(found)
        return pages

    def export_page(self, caller: Caller, limit: int, page: str | None = None) -> Any:
        """One page; the first when none is named."""
        return self.get(caller, "export-pages", limit=limit, page=page)

    def _introduced(self, entries: Iterable[Any]) -> dict[str, int]:
        """Document version → the version that introduced it, which is the first that holds it."""
        introduced: dict[str, int] = {}
        for entry in entries:
            version = self._revision(entry["revision"])
            known = introduced.get(entry["document_version"], version)
            introduced[entry["document_version"]] = min(known, version)
        return introduced

    def _revision(self, revision: str) -> int:
        return self.versions.number(revision.replace("mrev_", "memver_"))

    def _revisions(self, rows: Iterable[Any]) -> tuple[Sealed, ...]:
        return tuple(
            Sealed(
                self._revision(row["id"]),
                None if row["parent_revision"] is None else self._revision(row["parent_revision"]),
                row["kind"],
                self.actor(row["actor"]),
                None,
                datetime.fromisoformat(row["created_at"]),
                row["document_count"],
                row["total_bytes"],
                row["tree_hash"],
            )
            for row in rows
        )

    def _pointers(self, rows: Iterable[Any]) -> tuple[Pointer, ...]:
        return tuple(
            Pointer(
                self.ref_name(row),
                self._revision(row["revision"]),
                datetime.fromisoformat(row["updated_at"]),
            )
            for row in rows
        )

    # --- copies ------------------------------------------------------------------------------

    def fork(self, caller: Caller, version: int, key: str) -> Copied:
        body = {
            "source_version": self.version(version),
            "name": "A fork",
            "owner": self._myself(caller),
        }
        done = body_of(self.api(caller).post(self.url("fork"), body, key=key))
        return Copied(done["tree_hash"], self._copy(caller, done["store"]), done["replayed"])

    def import_export(self, caller: Caller, limit: int = 200) -> Copied:
        pages = self.bundle(caller, limit)
        begun = {"name": "A copy", "owner": self._myself(caller)}
        api = self.api(caller)
        copy = body_of(api.post(IMPORTS, begun))["store"]
        for page in pages:
            body_of(api.put(f"{IMPORTS}/{copy}/pages/{page['page_ordinal']}", page, key=None))
        finish_job(body_of(api.post(f"{IMPORTS}/{copy}/complete"))["job"])
        done = api.get(f"{IMPORTS}/{copy}").ok()
        assert done["state"] == "succeeded", done["error"]
        made = self._copy(caller, copy)
        (canonical,) = (version for _, version in made.list_refs(caller))
        tree_hash = {row.number: row.tree_hash for row in made.list_versions(caller)}
        return Copied(tree_hash[canonical], made)

    def _myself(self, caller: Caller) -> dict[str, str]:
        return {"kind": "principal", "id": self.people[caller.name].principal.id}

    def _copy(self, caller: Caller, store_id: str) -> Self:
        """The copy, whose versions are numbered in their own order."""
        copy = type(self)(self.people, store_id)
        copy.hear_versions(caller)
        return copy


def _exported(row: Any) -> Exported:
    document, body = row["document"], row["body"]
    assert body["state"] == ("available" if "content" in body else "erased")
    return Exported(
        document["path"],
        document["content_sha256"],
        document["media_type"],
        document["bytes"],
        body.get("content"),
        moment(body.get("expires_at")),
        exported_provenance(document["provenance"]),
        row["provenance_sha256"],
    )


def _canonical_bytes(item: Any) -> int:
    spelled = json.dumps(item, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return len(spelled.encode())
