"""Exports written by hand, after the contract and not by the code that exports (E1, E2, M8)."""

import json
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import batched
from typing import Any, Final

from tests.oracle.treehash import content_hash, tree_hash
from wire.ids import new_id

AS_OF: Final = "2026-08-27T09:30:00.000Z"
KINDS: Final = ("revision", "path_fence", "document_version", "revision_entry", "ref")
REF_KINDS: Final = ("canonical", "session", "proposal", "curation")
OWNER_FIELDS: Final = {"session": "session", "proposal": "proposal", "curation": "run"}
ACTOR: Final = {"kind": "principal", "principal": "prin_" + "1" * 32}

type Fields = dict[str, Any]


def canonical(value: Any) -> bytes:
    """Canonical JSON, written down once more."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def provenance(**more: Any) -> Fields:
    """A provenance as exports spell it."""
    return {
        "source_event_ids": [],
        "source_revision_ids": ["mrev_" + "2" * 32],
        "source_refs": ["a meeting"],
        "confidence": "observed",
        "valid_from": "2026-08-01T00:00:00.000Z",
        **more,
    }


@dataclass
class Written:
    """One document version."""

    id: str
    path: str
    sha256: str
    media_type: str
    bytes: int
    provenance: Fields | None
    digest: str | None
    body: Fields


@dataclass
class Bundle:
    """A store's graph, put together step by step."""

    store: str = field(default_factory=lambda: new_id("store"))
    documents: dict[str, Written] = field(default_factory=dict)
    revisions: dict[str, Fields] = field(default_factory=dict)
    trees: dict[str, dict[str, str]] = field(default_factory=dict)
    fences: list[str] = field(default_factory=list)
    refs: list[Fields] = field(default_factory=list)

    def write(
        self,
        path: str,
        text: str,
        *,
        media_type: str = "text/markdown",
        source: Fields | None = None,
        expires_at: str | None = None,
        erased: bool = False,
    ) -> str:
        """A new document version; returns its ID."""
        body = {"state": "available", "content": text, "expires_at": expires_at}
        document = Written(
            id=new_id("document"),
            path=path,
            sha256=content_hash(text),
            media_type=media_type,
            bytes=len(text.encode()),
            provenance=None if erased else source,
            digest=f"sha256:{sha256(canonical(source)).hexdigest()}" if source else None,
            body={"state": "erased"} if erased else body,
        )
        self.documents[document.id] = document
        return document.id

    def seal(
        self,
        *documents: str,
        parent: str | None = None,
        without: tuple[str, ...] = (),
        kind: str = "direct",
        actor: Fields = ACTOR,
    ) -> str:
        """A revision on a parent, with these document versions put at their paths."""
        tree = dict(self.trees.get(parent or "", {}))
        tree |= {self.documents[one].path: one for one in documents}
        tree = {path: one for path, one in tree.items() if path not in without}
        revision = "mrev_" + new_id("version").partition("_")[2]
        held = {path: self.documents[one] for path, one in tree.items()}
        self.trees[revision] = tree
        self.revisions[revision] = {
            "id": revision,
            "store": self.store,
            "parent_revision": parent,
            "kind": kind,
            "actor": actor,
            "document_count": len(tree),
            "total_bytes": sum(document.bytes for document in held.values()),
            "tree_hash": tree_hash(held),
            "created_at": "2026-08-01T12:00:00.000Z",
        }
        return revision

    def point(self, revision: str, kind: str = "canonical", owner: str | None = None) -> None:
        """A ref at a revision."""
        ref = {"kind": kind} | ({OWNER_FIELDS[kind]: owner} if owner else {})
        where = {"store": self.store, "revision": revision, "updated_at": AS_OF}
        self.refs.append(ref | where)

    def depth(self, revision: str) -> int:
        parent = self.revisions[revision]["parent_revision"]
        return 0 if parent is None else self.depth(parent) + 1

    def in_order(self) -> list[str]:
        """The revisions, parents first, then by ID."""
        return sorted(self.revisions, key=lambda one: (self.depth(one), one))

    def items(self) -> list[Fields]:
        """All items in their order."""
        parts: dict[str, list[Fields]] = {
            "revision": [self.revisions[one] for one in self.in_order()],
            "path_fence": [{"path": path} for path in sorted(self.fences)],
            "document_version": [
                {"id": one, **_spelled(self.documents[one])} for one in sorted(self.documents)
            ],
            "revision_entry": [
                {"revision": revision, "path": path, "document_version": document}
                for revision in self.in_order()
                for path, document in sorted(self.trees[revision].items())
            ],
            "ref": sorted(self.refs, key=_ref_order),
        }
        return [{"kind": kind, kind: fields} for kind in KINDS for fields in parts[kind]]

    def pages(self, limit: int = 200) -> list[Fields]:
        """The export page by page."""
        return pages_of(self.store, self.items(), limit)

    def whole(self) -> Fields:
        """The export as one answer."""
        return {
            "store": self.store,
            "revisions": [self.revisions[one] for one in self.in_order()],
            "refs": sorted(self.refs, key=_ref_order),
            "documents": [
                {"revision": revision, **_spelled(self.documents[document])}
                for revision in self.in_order()
                for _, document in sorted(self.trees[revision].items())
            ],
            "path_fences": sorted(self.fences),
        }


def pages_of(store: str, items: list[Fields], limit: int = 200) -> list[Fields]:
    """Items cut into pages, with everything that is counted counted."""
    counts = {kind: sum(item["kind"] == kind for item in items) for kind in KINDS}
    manifest = {
        "format": "checkfu.memory-store-export",
        "version": 2,
        "source_store": store,
        "scope": {"kind": "container"},
        "generation": 7,
        "as_of": AS_OF,
        **{f"{kind}_count": count for kind, count in counts.items()},
    }
    pages = [
        {
            "manifest": manifest,
            "page_ordinal": ordinal,
            "items": list(page),
            "item_bytes": sum(len(canonical(item)) for item in page),
            "next_page": f"mx1_{ordinal + 1}",
        }
        for ordinal, page in enumerate(batched(items, limit))
    ]
    pages[-1]["next_page"] = None
    return pages


def _spelled(document: Written) -> Fields:
    return {
        "document": {
            "path": document.path,
            "content_sha256": document.sha256,
            "media_type": document.media_type,
            "bytes": document.bytes,
            "provenance": document.provenance,
        },
        "provenance_sha256": document.digest,
        "body": document.body,
    }


def _ref_order(ref: Fields) -> tuple[int, str]:
    return REF_KINDS.index(ref["kind"]), ref.get(OWNER_FIELDS.get(ref["kind"], ""), "")


def example() -> Bundle:
    """A small store with all that an export can hold: branches, an erasure, a fence, four refs."""
    bundle = Bundle()
    first = bundle.seal(kind="initial")
    notes = bundle.write("/notes/a.md", "one\r\ntwo", source=provenance())
    plain = bundle.write("/plain", "no newline", media_type="application/x-own")
    dies = bundle.write("/dies.md", "soon", expires_at="2036-01-01T00:00:00.000Z")
    gone = bundle.write("/secret.md", "secret", source=provenance(), erased=True)
    second = bundle.seal(notes, plain, dies, gone, parent=first)
    again = bundle.write(
        "/notes/a.md", "three \u2764 日本", source=provenance(confidence="inferred")
    )
    third = bundle.seal(again, parent=second)
    redacted = bundle.seal(
        parent=third,
        without=("/secret.md",),
        kind="redaction",
        actor={"kind": "platform", "operation": "redaction"},
    )
    session = bundle.seal(
        bundle.write("/session.md", "of a Session"),
        parent=second,
        kind="session_checkpoint",
        actor={
            "kind": "session_agent",
            "session": "sess_" + "3" * 32,
            "agent": "agent_" + "4" * 32,
        },
    )
    bundle.fences += ["/secret.md", "/never"]
    bundle.point(redacted)
    bundle.point(session, "session", "sess_" + "3" * 32)
    bundle.point(third, "proposal", "mprop_" + "5" * 32)
    bundle.point(second, "curation", "mcur_" + "6" * 32)
    return bundle
