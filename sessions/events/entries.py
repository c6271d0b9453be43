"""What events tell: identifiers, hashes, counts and closed words (contract S2, S4, X5)."""

from collections.abc import Mapping, Sequence
from typing import Any

from memory.models import MemoryVersion
from memory.trees.hashing import spell_hash
from sessions.events.log import Entry
from sessions.models import Checkpoint, EventKind, Mount
from sessions.mounts.resolver import Resolution


def mount_resolved(mount: Mount) -> Entry:
    """What a mount came to at the Session's admission, told once (contract S2)."""
    told = {
        "mount": mount.position,
        "store": mount.store_id,
        "requested": mount.requested,
        "effective": mount.effective,
        "reasons": mount.reasons,
    }
    return Entry(EventKind.MOUNT_RESOLVED, told)


def change_checkpointed(
    checkpoint: Checkpoint, *, diff_hash: bytes, changed_paths: int, run_id: str | None
) -> Entry:
    """That a turn sealed a version. Which paths it changed is read from the version itself."""
    told = {
        "store": checkpoint.store_id,
        "working_ref": {"kind": "session", "session": checkpoint.session_id},
        "base_version": checkpoint.base_id,
        "new_version": checkpoint.version_id,
        "tree_hash": spell_hash(checkpoint.version.tree_hash),
        "diff_hash": spell_hash(diff_hash),
        "changed_path_count": changed_paths,
        "canonical_advanced": checkpoint.canonical_advanced,
    }
    return Entry(EventKind.CHANGE_CHECKPOINTED, told, run_id, checkpoint.turn)


def resources_resolved(
    resolved: Sequence[tuple[Mount, Resolution]],
    *,
    run_id: str | None = None,
    input_id: str | None = None,
) -> Entry:
    """What each mount comes to for one Run or input, which keeps the version (contract S3, S6)."""
    told: dict[str, Any] = {"mounts": [_resource(*pair) for pair in resolved]}
    if input_id:
        told["input"] = input_id
    return Entry(EventKind.RESOURCES_RESOLVED, told, run_id)


def run_refused(denied: Sequence[tuple[Mount, Resolution]]) -> Entry:
    """That a Run or input was not let begin: mounts come to nothing now (contract S1)."""
    told = [
        {
            "mount": mount.position,
            "store": mount.store_id,
            "reasons": [str(reason) for reason in resolution.reasons],
        }
        for mount, resolution in denied
    ]
    return Entry(EventKind.RUN_REFUSED, {"mounts": told})


def _resource(mount: Mount, resolution: Resolution) -> Mapping[str, Any]:
    return {
        "mount": mount.position,
        "store": mount.store_id,
        "requested": mount.requested,
        "effective": str(resolution.effective),
        "reasons": [str(reason) for reason in resolution.reasons],
        "version": resolution.version,
    }


def accessed(
    mounted: Mapping[int, MemoryVersion],
    *,
    run_id: str | None,
    turn: str | None,
    zero_data_retention: bool,
) -> list[Entry]:
    """What a turn was shown: one entry a store, or one count of all (contract S4).

    Args:
        mounted: by position of the mount, the version that it shows.
        zero_data_retention: whether the Workspace forbids telling which stores and versions.
    """
    if zero_data_retention:
        told = {
            "method": "mount",
            "store_count": len(mounted),
            "document_count": sum(version.document_count for version in mounted.values()),
        }
        return [Entry(EventKind.ACCESSED, told, run_id, turn)] if mounted else []
    return [
        Entry(EventKind.ACCESSED, _shown(position, version), run_id, turn)
        for position, version in sorted(mounted.items())
    ]


def _shown(position: int, version: MemoryVersion) -> Mapping[str, Any]:
    return {
        "method": "mount",
        "mount": position,
        "store": version.store_id,
        "version": version.id,
        "tree_hash": spell_hash(version.tree_hash),
        "document_count": version.document_count,
        "bytes": version.total_bytes,
    }
