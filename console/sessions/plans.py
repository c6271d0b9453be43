"""A Session that somebody is about to start: its form, and what it would come to now.

The very resolver that admits a Session says what each mount comes to (contract S1).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.forms import Widget
from django.http import QueryDict

from console.forms.base import ConsoleForm
from console.forms.sessions import MountForm, SessionForm
from console.naming import Named, Names
from console.sessions.forms import Focus
from console.sessions.parties import agent_choices, environment_choices
from console.sessions.version_picker import Offer, Picker, offers_of, open_picker
from console.sessions.words import Obstacle, obstacle_of
from console.stores import ref_owners, stores_for_list
from console.versions import known_versions
from memory.access import HIDDEN, StoreAccess, listable_stores
from memory.api.versions import acquire_versions
from memory.models import MemoryVersion
from memory.publication import Acquired
from sessions.models import MOUNTS_AT_MOST, Place
from sessions.mounts.admission import NewSession, preview
from sessions.mounts.paths import are_apart
from sessions.mounts.resolver import Resolution
from tenancy.caller import Caller
from tenancy.models import Permission
from tenancy.queries import spaces
from wire import ids
from wire.errors import ApiError, Malformed, NotFound

STORES_OFFERED: Final = 8
NO_SUCH_STORE: Final = "One of these stores is not there, or you may not read it any more."


@dataclass
class PlannedMount:
    """A store of the form.

    Attributes:
        chosen: the exact version, when one is chosen.
        owners: whose refs of the selected kind the store has.
        resolution: what it would come to now; None until the form says enough.
        reads: the version that it would read now.
    """

    access: StoreAccess
    owner: Named
    form: MountForm
    chosen: Offer | None = None
    picker: Picker | None = None
    owners: Sequence[str] = ()
    resolution: Resolution | None = None
    reads: MemoryVersion | None = None

    @property
    def store(self) -> Any:
        return self.access.store

    @property
    def obstacle(self) -> Obstacle | None:
        """Why no Session can be made with it."""
        return obstacle_of(self.resolution) if self.resolution else None

    @property
    def acquired(self) -> Iterator[Acquired]:
        """What the page shows of the store, for the publication recheck (contract R5)."""
        if self.access.may(Permission.READ):
            chosen = [self.chosen.version] if self.chosen else []
            yield acquire_versions(self.access, chosen)
        if self.picker:
            yield self.picker.acquired


@dataclass
class Plan:
    """The whole form.

    Attributes:
        actable: the agents that the person may act as.
        problem: why nothing can be said yet of what it comes to.
        offered: stores that can be added, each with its owner.
    """

    form: SessionForm
    mounts: list[PlannedMount]
    actable: frozenset[str]
    offered: list[tuple[Any, Named]] = field(default_factory=list)
    has_more_stores: bool = False
    problem: str = ""

    @property
    def forms(self) -> list[ConsoleForm]:
        return [self.form, *(mount.form for mount in self.mounts)]

    @property
    def cannot_act(self) -> bool:
        """Whether nothing would run, for want of `act_as` on the chosen agent."""
        agent = self.form["agent"].value()
        return bool(agent) and agent not in self.actable

    @property
    def is_full(self) -> bool:
        return len(self.mounts) >= MOUNTS_AT_MOST

    @property
    def status(self) -> int:
        """The status of the first form that is shown again for an error."""
        return next((form.status for form in self.forms if form.status != 200), 200)

    @property
    def acquired(self) -> list[Acquired]:
        """What the page shows of stores, for the publication recheck."""
        return [each for mount in self.mounts for each in mount.acquired]

    def wanted(self) -> NewSession:
        """The Session with those mounts that are said completely. The first form is valid."""
        values = self.form.cleaned_data
        return NewSession(
            agent_id=values["agent"],
            environment_id=values["environment"],
            place=Place(values["place"]),
            space_id=values["space"],
            mounts=tuple(mount.form.wanted() for mount in self._complete()),
        )

    def is_complete(self) -> bool:
        """Whether a Session can be asked for; what is missing stands at its field."""
        self._refuse_nested_paths()
        for mount in self.mounts:
            if mount.form.is_valid() and mount.obstacle:
                mount.form.add_error(mount.obstacle.field, mount.obstacle.sentence)
                mount.form.status = mount.obstacle.status
        return not any(form.errors for form in self.forms)

    def forgive(self) -> None:
        """Hold nothing against a person who has not finished yet."""
        for form in self.forms:
            form.errors.clear()
            form.status = 200

    def resolve(self, caller: Caller) -> None:
        """Ask what each mount that is said completely would come to now."""
        if not self.form.is_valid():
            missing = "the space" if "space" in self.form.errors else "an agent and an environment"
            self.problem = f"Choose {missing}; then this says what comes of it."
            return
        complete = self._complete()
        try:
            resolutions = preview(caller, self.wanted())
        except ApiError as error:
            self.problem = error.message
            return
        reads = known_versions(one.version for one in resolutions if one.version)
        for mount, resolution in zip(complete, resolutions, strict=True):
            mount.resolution = resolution
            mount.reads = reads.get(resolution.version or "")

    def focus_on(self, focus: Focus | None) -> None:
        """Let the person go on at a field, or at the first that is to be mended."""
        for widget in self._widgets_at(focus):
            widget.attrs["autofocus"] = True
            return

    def _widgets_at(self, focus: Focus | None) -> Iterator[Widget]:
        for form in self.forms:
            for name in form.errors:
                if name in form.fields:
                    yield form.fields[name].widget
        for mount in self.mounts:
            if focus and mount.access.store_id == focus[0]:
                found = mount.picker.form if mount.picker else mount.form
                yield from (f.widget for name, f in found.fields.items() if name == focus[1])

    def _complete(self) -> list[PlannedMount]:
        return [mount for mount in self.mounts if mount.form.is_valid()]

    def _refuse_nested_paths(self) -> None:
        taken: list[str] = []
        for mount in self._complete():
            path = mount.form.cleaned_data["mount_path"]
            if path and not are_apart([*taken, path]):
                mount.form.add_error("mount_path", "It is another mount's path, or inside it.")
                mount.form.status = 422
            taken += [path] if path else []


def read_plan(caller: Caller, data: QueryDict) -> Plan:
    """Make out what a form holds.

    Raises:
        Malformed: it names more stores than a Session mounts.
        NotFound: it names a store that the person may not know of.
    """
    agents = agent_choices(caller)
    form = SessionForm(
        data,
        agents=agents.grouped,
        environments=environment_choices(caller),
        spaces=list(spaces(caller).order_by("name").values_list("id", "name")),
    )
    accesses = _stores(caller, data.getlist("mount"))
    offered = _offered(caller, data) if len(accesses) < MOUNTS_AT_MOST else []
    stores = [each.store for each in accesses] + offered
    names = Names(caller.workspace_id, [(one.owner_kind, one.owner_uuid) for one in stores])
    plan = Plan(
        form,
        [
            PlannedMount(each, _owner(names, each.store), MountForm(data, prefix=each.store_id))
            for each in accesses
        ],
        actable=frozenset(identifier for identifier, _ in agents.mine),
        offered=[(store, _owner(names, store)) for store in offered[:STORES_OFFERED]],
        has_more_stores=len(offered) > STORES_OFFERED,
    )
    _fill(plan, caller, data)
    return plan


def _stores(caller: Caller, store_ids: Sequence[str]) -> list[StoreAccess]:
    if len(store_ids) > MOUNTS_AT_MOST:
        raise Malformed(f"A Session mounts {MOUNTS_AT_MOST} stores at most.")
    if not all(_is_store(store_id) for store_id in store_ids):
        raise NotFound(NO_SUCH_STORE)
    rows = listable_stores(caller).filter(id__in=store_ids).exclude(lifecycle__in=HIDDEN)
    known = {row.id: row for row in rows} if store_ids else {}
    if len(known) != len(store_ids):
        raise NotFound(NO_SUCH_STORE)
    found = [known[store_id] for store_id in store_ids]
    return [StoreAccess(caller, row, frozenset(row.granted)) for row in found]


def _is_store(text: str) -> bool:
    try:
        return ids.parse_id("store", text) == text
    except ids.MalformedId:
        return False


def _offered(caller: Caller, data: QueryDict) -> list[Any]:
    words = data.get("stores", "").strip().replace("\0", "")
    stores = stores_for_list(caller, words=words).exclude(lifecycle__in=HIDDEN)
    return list(stores.exclude(id__in=data.getlist("mount"))[: STORES_OFFERED + 1])


def _owner(names: Names, store: Any) -> Named:
    return names.of(store.owner_kind, store.owner_uuid)


def _fill(plan: Plan, caller: Caller, data: QueryDict) -> None:
    """Look up what each mount shows beside its fields."""
    readable = [mount for mount in plan.mounts if mount.access.may(Permission.READ)]
    chosen = _chosen(caller, readable)
    owners = ref_owners([mount.access.store_id for mount in readable])
    for mount in readable:
        store_id = mount.access.store_id
        mount.chosen = chosen.get(store_id)
        mount.owners = owners.get((store_id, str(mount.form["revision"].value())), ())
        if data.get("pick") == store_id:
            mount.picker = open_picker(mount.access, data, data.get("older"))


def _chosen(caller: Caller, mounts: Sequence[PlannedMount]) -> Mapping[str, Offer]:
    """The exact versions that mounts choose, by store."""
    picked = {m.access.store_id: m.form.picks for m in mounts if m.form.wants_version}
    versions = known_versions(filter(None, picked.values()))
    own = [one for one in versions.values() if picked.get(one.store_id) == one.id]
    return {one.version.store_id: one for one in offers_of(caller.workspace_id, own)}
