"""What a mount reads, for those who take part in its Session (contract S2, S3, R5)."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from memory.access import StoreAccess, open_store
from memory.models import MemoryVersion
from memory.publication import Acquired, recheck
from memory.queries.retained import retained_versions
from sessions.access import SessionAccess, open_session, sent_for
from sessions.models import Access, Mount, Run
from sessions.mounts.refusals import denial_of, refusal_of
from sessions.mounts.resolver import Resolution
from sessions.publication import again_if_changed, establishing
from sessions.queries.facts import mounts_of, resolve_mount
from sessions.queries.runs import find_run_of, resources_of
from wire.errors import Conflict, NotFound


@dataclass(frozen=True, slots=True)
class Mounted:
    """A mount with the exact version that it reads.

    Attributes:
        session: the authority that whoever asks takes part with.
        store: the store as the Session's agent opens it, for its acting principal.
    """

    session: SessionAccess
    mount: Mount
    store: StoreAccess
    version: MemoryVersion


def find_mount(session_id: str, position: int) -> Mount:
    """A Session's mount by its position. Raises NotFound."""
    mount = mounts_of(session_id).filter(position=position).first()
    if mount is None:
        raise NotFound("The Session has no such mount.")
    return mount


def open_mounted(access: SessionAccess, mount: Mount, *, run_id: str | None = None) -> Mounted:
    """Resolve what a mount reads: a Run's version if one is named, else what it comes to now.

    Who may read is asked now in either case, of the agent and of the acting principal. A version
    that is not there whole is refused, and nothing is left out of it silently.

    Raises:
        NotFound: the Session has no such Run, or the store is gone.
        PolicyDenied: the caller takes no part, or the mount comes to `none`.
        DisabledTenancy: the acting principal is disabled.
        ReadOnly: the Session is archived, or a store that is mounted for writing.
        Conflict, HarnessIncompatible: the mount is refused, as `sessions.mounts.refusals` says;
            the Run mounted nothing; or a text of the version is gone.
    """
    resolution = _usable(access, mount)
    version_id = _frozen(access, mount, run_id) if run_id else _current(resolution)
    caller = access.caller if access.is_agent else sent_for(access.caller, access.session)
    store = open_store(caller, mount.store_id)
    store.require_content()
    if (mount.store_id, version_id) not in retained_versions([version_id]):
        raise not_retained(version_id)
    return Mounted(access, mount, store, MemoryVersion.objects.get(id=version_id))


def not_retained(version_id: str) -> Conflict:
    """The error for a version of whose tree a text was erased or has expired."""
    return Conflict(f"{version_id} is not retained whole, so it is not handed out in parts.")


def recheck_mounted(mounted: Mounted, bodies: Collection[str], expires_at: datetime | None) -> None:
    """Look again in a fresh snapshot and refuse what may not be released any more.

    Two queries when nothing of it changed since.

    Args:
        bodies: the document versions that are told of or whose texts are released (`mdoc_…`).
        expires_at: their earliest ceiling.

    Raises:
        as `memory.publication.recheck` and `open_mounted` say.
    """
    recheck(Acquired(mounted.store, bodies=bodies, expires_at=expires_at))
    with establishing():
        caller = again_if_changed(mounted.session.caller)
        if caller:
            _usable(open_session(caller, mounted.session.session_id), mounted.mount)


def _usable(access: SessionAccess, mount: Mount) -> Resolution:
    """What a mount comes to now, for somebody who takes part while the Session goes on."""
    access.require_part()
    access.require_active()
    resolution = resolve_mount(access.session, mount.store_id)
    assert resolution is not None
    if resolution.effective == Access.NONE:
        raise denial_of(resolution)
    return resolution


def _current(resolution: Resolution) -> str:
    error = refusal_of(resolution)
    if error:
        raise error
    assert resolution.version is not None
    return resolution.version


def _frozen(access: SessionAccess, mount: Mount, run_id: str) -> str:
    run = find_run_of(access.session_id, run_id)
    if run.state == Run.State.FAILED:
        raise Conflict(f"{run.id} failed and mounted nothing.")
    told = resources_of(access.session_id, [run.id])[run.id]
    versions: dict[int, str] = {one["mount"]: one["version"] for one in told}
    return versions[mount.position]
