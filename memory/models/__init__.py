"""The versioned store. What is append-only here is guarded by the database itself."""

from memory.models.documents import BodyErasure, DocumentBody, DocumentVersion
from memory.models.erasure import (
    ErasureReport,
    ErasureSink,
    PathFence,
    Sink,
    SinkEvidence,
    SinkState,
)
from memory.models.imports import (
    ImportDocument,
    ImportPage,
    ImportRevision,
    ImportState,
    StoreImport,
)
from memory.models.receipts import IdempotencyReceipt
from memory.models.refs import Ref, RefKind, RefMove
from memory.models.retention import RetentionPolicy
from memory.models.stores import (
    SHARED_OWNERS,
    CanonicalWrites,
    Lifecycle,
    MemoryStore,
    OwnerKind,
    SelfApproval,
)
from memory.models.tags import Tag
from memory.models.trees import TreePage, VersionTree
from memory.models.versions import (
    ActorKind,
    MemoryVersion,
    VersionChange,
    VersionKind,
    VersionNote,
)

__all__ = [
    "SHARED_OWNERS",
    "ActorKind",
    "BodyErasure",
    "CanonicalWrites",
    "DocumentBody",
    "DocumentVersion",
    "ErasureReport",
    "ErasureSink",
    "IdempotencyReceipt",
    "ImportDocument",
    "ImportPage",
    "ImportRevision",
    "ImportState",
    "Lifecycle",
    "MemoryStore",
    "MemoryVersion",
    "OwnerKind",
    "PathFence",
    "Ref",
    "RefKind",
    "RefMove",
    "RetentionPolicy",
    "SelfApproval",
    "Sink",
    "SinkEvidence",
    "SinkState",
    "StoreImport",
    "Tag",
    "TreePage",
    "VersionChange",
    "VersionKind",
    "VersionNote",
    "VersionTree",
]
