"""Why somebody may do something with a store, or not, in the words of a page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from console.naming import Named, Names
from console.permissions.keys import key_state
from memory.access import StoreAccess
from tenancy import queries
from tenancy.authentication import caller_of_key
from tenancy.authority import NEEDS_READ, Target
from tenancy.caller import Caller, Subject
from tenancy.explaining import Explanation, Holder, explain
from tenancy.models import (
    Agent,
    ApiKey,
    Permission,
    PermissionAssignment,
    Principal,
    SubjectKind,
    TargetKind,
)
from wire import ids

EXPLAINED: Final = {
    Permission.READ: "read documents, history and Proposals",
    Permission.WRITE: "open Proposals, and write where the store allows it",
    Permission.REVIEW: "approve and reject Proposals",
    Permission.ADMIN: "change who has access and how the store is reviewed",
}
"""What a grant on a store can bring, in words; `act_as` is about agents."""

REVIEWS_NEVER: Final = "Whatever it holds: services and agents never decide on Proposals."


AGENT_IN_SESSION: Final = (
    "An agent works in a Session, for a principal: what counts there is what both hold, and what"
    " the Session mounts."
)


@dataclass(frozen=True, slots=True)
class Who:
    """Somebody that is asked about.

    Attributes:
        subjects: whose grants count when they act.
        bounds: what they are held to whatever is granted, in sentences.
        obstacles: why nothing at all works for them now, in sentences.
        reviews: whether they may ever decide on a Proposal.
        is_admin: whether they administer the Workspace.
        principal_id: the principal that they are or act for.
    """

    label: str
    subjects: Sequence[Subject]
    bounds: Sequence[str] = ()
    obstacles: Sequence[str] = ()
    reviews: bool = True
    is_admin: bool = False
    principal_id: str | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """One grant that brings a permission.

    Attributes:
        through: the space or the Session that holds it; None when it is the holder's own.
    """

    grant: PermissionAssignment
    covers_all: bool
    through: Named | None
    by: Named


@dataclass(frozen=True, slots=True)
class Side:
    """One whose grants count, and the routes by which a permission reaches it."""

    name: Named
    routes: Sequence[Route]


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether one permission is held, and why or why not."""

    permission: Permission
    words: str
    allowed: bool
    sides: Sequence[Side]
    lacks_read: bool
    caveat: str = ""


def find_who(caller: Caller, subject: str) -> Who:
    """Somebody of the caller's Workspace, by `kind:id`. Raises NotFound.

    Args:
        subject: a principal, an agent or a key.
    """
    kind, _, identifier = subject.partition(":")
    if kind == SubjectKind.API_KEY:
        return _key(queries.find_key(caller, identifier))
    if kind == SubjectKind.AGENT:
        return _agent(queries.find_agent(caller, identifier))
    return _principal(queries.find_principal(caller, identifier))


def _principal(found: Principal) -> Who:
    disabled = found.state != Principal.State.ACTIVE
    return Who(
        found.name,
        (Subject(SubjectKind.PRINCIPAL, found.id),),
        obstacles=("It is disabled: nothing works for it, nor for its keys.",) if disabled else (),
        reviews=found.kind == Principal.Kind.PERSON,
        is_admin=found.is_admin,
        principal_id=found.id,
    )


def _agent(found: Agent) -> Who:
    archived = found.state != Agent.State.ACTIVE
    return Who(
        found.name,
        (Subject(SubjectKind.AGENT, found.id),),
        bounds=(AGENT_IN_SESSION,),
        obstacles=("It is archived: it runs nothing any more.",) if archived else (),
        reviews=False,
    )


def _key(found: ApiKey) -> Who:
    acting = caller_of_key(found)
    return Who(
        found.name,
        acting.subjects,
        bounds=tuple(_bounds(found)),
        obstacles=tuple(_obstacles(found, acting)),
        reviews=not (acting.principal_is_service or acting.agent),
        is_admin=acting.is_admin,
        principal_id=acting.acting_principal_id,
    )


def _bounds(key: ApiKey) -> Iterator[str]:
    if key.key_class == ApiKey.Class.SESSION:
        yield (
            "It acts as the agent of one Session: what counts is what the agent and its principal"
            " both hold, and what that Session mounts."
        )
    elif key.principal:
        yield f"It is bound to {key.principal.name}, and may do what {key.principal.name} may."
    else:
        yield "It is bound to nobody, so grants of its own count."
    named = ", ".join(sorted(each.name for each in key.may_act_for.all()))
    if named:
        yield f"A request may name {named} instead; then the grants of whom it names count."
    if key.key_class == ApiKey.Class.RUNNER:
        yield "It settles Runs of its environments; that needs no grant."


def _obstacles(key: ApiKey, acting: Caller) -> Iterator[str]:
    state = key_state(key)
    if state != "active":
        yield f"The key is {state}: requests with it are refused."
    if not acting.principal_active:
        yield "The principal that it acts for is disabled."


def answers(who: Who, access: StoreAccess) -> list[Answer]:
    """Why each permission is held on a store, or why not.

    A query for each subject, and one for each kind of thing that has a name.
    """
    workspace_id = access.caller.workspace_id
    found = explain(who.subjects, workspace_id, Target(TargetKind.STORE, access.store_id))
    names = Names(workspace_id, _mentioned(found))
    return [_answer(who, found, permission, names) for permission in EXPLAINED]


def _answer(who: Who, found: Explanation, permission: Permission, names: Names) -> Answer:
    allowed = found.allows(permission) and not who.obstacles
    never = permission == Permission.REVIEW and not who.reviews
    return Answer(
        permission,
        EXPLAINED[permission],
        allowed and not never,
        [_side(holder, permission, names) for holder in found.holders],
        lacks_read=permission in NEEDS_READ & found.held and Permission.READ not in found.held,
        caveat=REVIEWS_NEVER if never else "",
    )


def _side(holder: Holder, permission: Permission, names: Names) -> Side:
    subject = holder.subject
    return Side(
        names.of(subject.kind, ids.uuid_from_id(subject.id)),
        [_route(grant, subject, names) for grant in holder.grants_of(permission)],
    )


def _route(grant: PermissionAssignment, subject: Subject, names: Names) -> Route:
    holder = names.of(grant.subject_kind, grant.subject_uuid)
    return Route(
        grant,
        covers_all=grant.target_kind == TargetKind.WORKSPACE,
        through=None if grant.subject_id == subject.id else holder,
        by=names.of(grant.created_by_kind, grant.created_by_uuid),
    )


def _mentioned(found: Explanation) -> Iterator[Any]:
    for holder in found.holders:
        yield holder.subject.kind, ids.uuid_from_id(holder.subject.id)
        for grant in holder.grants:
            yield grant.subject_kind, grant.subject_uuid
            yield grant.created_by_kind, grant.created_by_uuid


def owns(who: Who, access: StoreAccess) -> bool:
    """Whether the store is theirs, which its settings go by; an agent at work owns nothing."""
    return len(who.subjects) == 1 and access.store.owner_id == who.principal_id
