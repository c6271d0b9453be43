"""A store under review, somebody who writes and somebody who decides."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import count

from memory.access import StoreAccess, open_store
from memory.actions.change_sets import ChangeSet, Operation, apply_change_set
from memory.actions.stores import Owner, StoreChanges, StoreSettings, change_store, create_store
from memory.models import (
    BodyErasure,
    CanonicalWrites,
    DocumentBody,
    DocumentVersion,
    Lifecycle,
    MemoryStore,
    OwnerKind,
    SelfApproval,
)
from memory.queries.versions import canonical_id
from memory.refs import CANONICAL
from memory.trees.storage import load_tree
from memory.versions.sealing import Put
from proposals.actions.create import NewProposal, create_proposal
from proposals.actions.repropose import Reproposed, repropose
from proposals.actions.respond import Answer, Responded, Seen, respond
from proposals.models import Proposal, ProposalResponse
from proposals.opening import Words
from proposals.queries.rows import ProposalView, get_proposal
from tenancy.models import ApiKey, Principal, User, Workspace
from tests.client import Api
from tests.factories import caller_for, grant, make_key, make_person, make_workspace
from wire.idempotency import IdempotencyKey
from wire.times import now

type Texts = Mapping[str, str | None]
"""Path → text, or None to delete."""

_numbers = count(1)


@dataclass
class Scenario:
    """`author` holds read and write, `reviewer` read and review, on the one store."""

    workspace: Workspace
    store_id: str
    author: Principal
    reviewer: Principal

    @property
    def store(self) -> MemoryStore:
        return MemoryStore.objects.get(id=self.store_id)

    @property
    def canonical(self) -> str:
        return canonical_id(self.store_id)

    def person(self, name: str, *permissions: str) -> Principal:
        """A person with a sign-in (and no password to hash), and grants on the store."""
        person = make_person(self.workspace, name)
        user = User.objects.create(username=f"{name.lower()}-{next(_numbers)}")
        Principal.objects.filter(id=person.id).update(user=user)
        if permissions:
            grant(person, self.store, *permissions)
        return person

    def key(
        self, *permissions: str, bound: Principal | None = None, names: Principal | None = None
    ) -> ApiKey:
        """A key; unbound, with grants of its own, unless `bound` or `names` somebody."""
        key, _ = make_key(self.workspace, principal=bound, may_act_for=[names] if names else [])
        if permissions:
            grant(key, self.store, *permissions)
        return key

    def api(self, who: Principal) -> Api:
        """A client with a key that is bound to somebody."""
        return Api(make_key(self.workspace, principal=who)[1])

    def path(self, proposal_id: str = "", verb: str = "") -> str:
        """The route of the store's Proposals, of one, or of what is done with one."""
        parts = ["", "v1", "memory-stores", self.store_id, "proposals", proposal_id, verb]
        return "/".join(parts).rstrip("/")

    def access(self, who: Principal | ApiKey | None = None) -> StoreAccess:
        return open_store(caller_for(who or self.author), self.store_id)

    def propose(
        self,
        texts: Texts,
        *,
        by: Principal | ApiKey | None = None,
        base: str | None = None,
        title: str = "A change",
        key: IdempotencyKey | None = None,
    ) -> str:
        """Open an inline Proposal; return its ID."""
        head = operations(base or self.canonical, texts)
        new = NewProposal(Words(title), head, base)
        return create_proposal(access=self.access(by), proposal=new, key=key).proposal_id

    def approve(self, proposal_id: str, **more: object) -> Responded:
        return self.respond(proposal_id, ProposalResponse.APPROVE, **more)  # type: ignore[arg-type]

    def reject(self, proposal_id: str, **more: object) -> Responded:
        return self.respond(proposal_id, ProposalResponse.REJECT, **more)  # type: ignore[arg-type]

    def respond(
        self,
        proposal_id: str,
        response: ProposalResponse,
        *,
        by: Principal | ApiKey | None = None,
        access: StoreAccess | None = None,
        note: str | None = None,
        seen: Seen = Seen(),  # noqa: B008 (frozen)
        key: IdempotencyKey | None = None,
    ) -> Responded:
        return respond(
            access=access or self.access(by or self.reviewer),
            proposal_id=proposal_id,
            answer=Answer(response, note, seen),
            key=key,
        )

    def repropose(
        self, proposal_id: str, *, by: Principal | None = None, key: IdempotencyKey | None = None
    ) -> Reproposed:
        return repropose(access=self.access(by), proposal_id=proposal_id, key=key)

    def advance(self, texts: Texts) -> str:
        """Move canonical by a Proposal and its approval; return where it is."""
        self.approve(self.propose(texts, title="Another change"))
        return self.canonical

    def write(self, texts: Texts, *, by: Principal | None = None) -> str:
        """Write canonical directly, where the store allows it; return where it is."""
        return self.change_with(operations(self.canonical, texts), by=by)

    def change_with(self, wanted: tuple[Operation, ...], *, by: Principal | None = None) -> str:
        """The same by operations that are spelled out."""
        change_set = ChangeSet(CANONICAL, self.canonical, wanted)
        apply_change_set(access=self.access(by), change_set=change_set)
        return self.canonical

    def change(self, **changes: object) -> None:
        """Change the store's settings, or archive it."""
        admin = self.person("Admin", "read", "admin")
        change_store(
            access=self.access(admin),
            version=self.store.version,
            changes=StoreChanges(**changes),  # type: ignore[arg-type]
        )

    def archive(self) -> None:
        self.change(lifecycle=Lifecycle.ARCHIVED)

    def view(self, proposal_id: str, by: Principal | ApiKey | None = None) -> ProposalView:
        return get_proposal(self.access(by or self.reviewer), proposal_id)

    def status(self, proposal_id: str) -> str:
        return Proposal.objects.get(id=proposal_id).status

    def erase(self, path: str, reason: str = BodyErasure.Reason.RETIRED) -> None:
        """Erase the bodies of a path in every version, as sweeps do."""
        for row in DocumentVersion.objects.filter(store=self.store_id, path=path):
            self.erase_one(row, reason)

    def erase_one(self, row: DocumentVersion, reason: str = BodyErasure.Reason.RETIRED) -> None:
        """Erase one body, when it is there."""
        if DocumentBody.objects.filter(document_version=row).delete()[0]:
            BodyErasure.objects.create(document_version=row, reason=reason, erased_at=now())


def make_scenario(
    *,
    canonical_writes: CanonicalWrites = CanonicalWrites.REVIEW,
    self_approval: SelfApproval = SelfApproval.DENIED,
) -> Scenario:
    """A shared store in a Workspace of its own."""
    workspace = make_workspace()
    created = create_store(
        caller=caller_for(make_person(workspace, "Owner", is_admin=True)),
        settings=StoreSettings(
            name="team-memory",
            owner=Owner(OwnerKind.WORKSPACE, workspace.id),
            canonical_writes=canonical_writes,
            self_approval=self_approval,
        ),
    )
    scenario = Scenario(workspace, created.store_id, None, None)  # type: ignore[arg-type]
    scenario.author = scenario.person("Alice", "read", "write")
    scenario.reviewer = scenario.person("Bob", "read", "review")
    return scenario


def operations(base: str, texts: Texts) -> tuple[Operation, ...]:
    """Operations that expect what `base` holds."""
    tree = load_tree(base)
    found = {path: tree.find(path) for path in texts}
    return tuple(
        Operation(
            path,
            None if text is None else Put(text),
            entry.content_sha256 if (entry := found[path]) else None,
        )
        for path, text in texts.items()
    )


def texts_at(version_id: str) -> dict[str, str]:
    """The whole tree of a version as path → text."""
    entries = list(load_tree(version_id).entries_from())
    rows = DocumentBody.objects.filter(
        document_version__in=[entry.document_version for entry in entries]
    )
    texts = {row.document_version_id: row.text for row in rows}
    by_hash = {sha256(text.encode()).digest(): text for text in texts.values()}
    return {entry.path: by_hash[entry.content_sha256] for entry in entries}


def key(name: str, body: str = "") -> IdempotencyKey:
    """An Idempotency-Key, whose fingerprint depends on `body`."""
    return IdempotencyKey(name, sha256(body.encode()).digest())
