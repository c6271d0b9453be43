"""What the pages of one Session show of it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.urls import reverse

from console.people import ConsoleRequest
from console.versions import known_versions
from memory.access import StoreAccess
from memory.models import Lifecycle, MemoryVersion, Ref
from sessions.access import SessionAccess, open_session
from sessions.models import Access, InputMount, Mount, Round, Session, SessionInput
from sessions.mounts.resolver import Resolution
from sessions.publication import SessionsRead
from sessions.queries.checkpoints import checkpoints_of
from sessions.queries.facts import has_native_writer, mounts_of, resolve_mounts
from sessions.queries.rounds import inputs_of, last_rounds, plans_of_inputs
from sessions.queries.runs import resources_of, runs_of
from sessions.queries.stores import readable_stores
from sessions.turns.workingrefs import working_refs_of
from tenancy.models import Permission

TABS: Final = (
    ("session", "Overview", "chat-bubble-left-right"),
    ("session-events", "Events", "queue-list"),
    ("session-connect", "Connect", "command-line"),
)
SHOWN_AT_MOST: Final = 10
"""Runs, inputs and checkpoints that the overview shows; the events have all of them."""
ROUNDS_SHOWN: Final = 3
"""Of each input."""


@dataclass(frozen=True, slots=True)
class MountRow:
    """A mount as it was asked for, as it was admitted, and as it is now.

    Attributes:
        access: the store, for a person who may read it.
        resolution: what it comes to now; None for who may not read the Session.
        reads: the version that it reads now, for who may read the store.
        ref: the Session's working ref in it.
        may_open: whether the person may list and download what it reads.
    """

    mount: Mount
    access: StoreAccess | None
    resolution: Resolution | None = None
    reads: MemoryVersion | None = None
    ref: Ref | None = None
    may_open: bool = False

    @property
    def may_pin(self) -> bool:
        """Whether the person may make the working ref that is not there yet."""
        if self.ref or not self.access:
            return False
        is_active = self.access.store.lifecycle == Lifecycle.ACTIVE
        return is_active and self.access.may(Permission.WRITE)


@dataclass(frozen=True, slots=True)
class SessionShell:
    """An opened Session, and the context that its pages share."""

    access: SessionAccess
    context: dict[str, Any]

    @property
    def session(self) -> Session:
        return self.access.session

    def read(self, stores: Iterable[StoreAccess]) -> SessionsRead:
        """What a page releases of it, for the publication recheck (contract R5)."""
        return SessionsRead([self.access], list(stores), has_words=True)


def open_shell(request: ConsoleRequest, session_id: str, tab: str) -> SessionShell:
    """Open a Session that the person may know of. Raises NotFound."""
    access = open_session(request.caller, session_id)
    session = access.session
    context = {
        "access": access,
        "session": session,
        "may_keys": access.is_principal or request.caller.is_admin,
        "may_erase": request.caller.is_admin,
        "is_active": session.state == Session.State.ACTIVE,
        "tabs": [
            {
                "label": label,
                "icon": icon,
                "url": reverse(f"console:{name}", args=[session_id]),
                "is_here": name == tab,
            }
            for name, label, icon in TABS
        ],
    }
    return SessionShell(access, context)


def mount_rows(shell: SessionShell) -> list[MountRow]:
    """The mounts of a Session, at a few queries for all."""
    caller, session = shell.access.caller, shell.session
    if not shell.access.may_read:
        mounts = list(mounts_of(session.id))
        stores = readable_stores(caller, [mount.store_id for mount in mounts])
        return [MountRow(mount, stores.get(mount.store_id)) for mount in mounts]
    resolved = resolve_mounts(session)
    stores = readable_stores(caller, [mount.store_id for mount, _ in resolved])
    reads = known_versions(
        found.version for mount, found in resolved if found.version and mount.store_id in stores
    )
    refs = {ref.store_id: ref for ref in working_refs_of(session.id)}
    return [
        MountRow(
            mount,
            stores.get(mount.store_id),
            found,
            reads.get(found.version or ""),
            refs.get(mount.store_id),
            may_open=shell.access.is_principal and session.state == Session.State.ACTIVE,
        )
        for mount, found in resolved
    ]


def activity(shell: SessionShell, rows: Sequence[MountRow]) -> dict[str, Any]:
    """Working refs, and the latest Runs, inputs and checkpoints."""
    session_id, stores = shell.session.id, stores_of(rows)
    refs = list(working_refs_of(session_id))
    runs = list(runs_of(session_id).order_by("-id")[: SHOWN_AT_MOST + 1])
    found = list(checkpoints_of(session_id)[: SHOWN_AT_MOST + 1])
    resources = resources_of(session_id, [run.id for run in runs])
    inputs = list(inputs_of(session_id).order_by("-id")[: SHOWN_AT_MOST + 1])
    others = {ref.store_id for ref in refs} | {one.store_id for one in found}
    stores = stores | readable_stores(shell.access.caller, others - stores.keys())
    return {
        "refs": [(ref, stores.get(ref.store_id)) for ref in refs],
        "pinnable": [row for row in rows if row.may_pin],
        "runs": [
            (run, told_mounts(resources.get(run.id, []), stores)) for run in runs[:SHOWN_AT_MOST]
        ],
        "has_more_runs": len(runs) > SHOWN_AT_MOST,
        "inputs": _input_rows(inputs[:SHOWN_AT_MOST], stores),
        "has_more_inputs": len(inputs) > SHOWN_AT_MOST,
        "is_native": has_native_writer(shell.session.environment),
        "checkpoints": [(one, stores.get(one.store_id)) for one in found[:SHOWN_AT_MOST]],
        "has_more_checkpoints": len(found) > SHOWN_AT_MOST,
        "stores": stores,
    }


def _input_rows(
    inputs: Sequence[SessionInput], stores: Mapping[str, StoreAccess]
) -> list[dict[str, Any]]:
    """Inputs with what each mount was for them, and their last rounds. Two queries for all."""
    if not inputs:
        return []
    plans, rounds = defaultdict(list), defaultdict(list)
    for mount in plans_of_inputs([one.id for one in inputs]):
        plans[mount.input_id].append(_planned(mount, stores))
    for entered in last_rounds([one.id for one in inputs], each=ROUNDS_SHOWN):
        rounds[entered.input_id].append(_round(entered, stores))
    return [{"input": one, "mounts": plans[one.id], "rounds": rounds[one.id]} for one in inputs]


def _planned(mount: InputMount, stores: Mapping[str, StoreAccess]) -> dict[str, Any]:
    """A mount of an input, told as an event tells those of a Run."""
    effective = Access.READ_WRITE if mount.is_writable else Access.READ_ONLY
    return {
        "store": mount.store_id,
        "access": stores.get(mount.store_id),
        "effective": effective,
        "version": mount.version_id,
    }


def _round(entered: Round, stores: Mapping[str, StoreAccess]) -> dict[str, Any]:
    call = getattr(entered, "call", None)
    sealed = call.checkpoint if call else None
    return {
        "round": entered,
        "call": call,
        "access": stores.get(call.mount.store_id) if call else None,
        "sealed": sealed.version_id if sealed else None,
    }


def stores_of(rows: Iterable[MountRow]) -> dict[str, StoreAccess]:
    """The stores of some mounts that the person may read."""
    return {row.access.store_id: row.access for row in rows if row.access}


def told_mounts(
    told: Sequence[Mapping[str, Any]], stores: Mapping[str, StoreAccess]
) -> list[dict[str, Any]]:
    """Mounts as an event tells them, each with the store if the person may read it."""
    return [{**each, "access": stores.get(each["store"])} for each in told]
