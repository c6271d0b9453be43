"""The support agent at work for the author: Sessions that learned, read, and ended."""

from collections.abc import Mapping
from typing import Final

from console.demo import agent_story as story
from console.demo.agent_calling import load_agent_calling
from console.demo.agent_sessions import demo_key, start_session
from console.demo.cast import Cast
from console.demo.desk import Desk, Role
from console.demo.stores import ensure_store, find_store, grant_on_store
from console.demo.team_memory import NAME as TEAM_MEMORY
from memory.actions.stores import Owner, StoreSettings
from memory.models import OwnerKind
from memory.queries.documents import list_documents
from memory.queries.versions import canonical_id
from memory.versions.sealing import Put
from sessions.access import SessionAccess, open_session, sent_for
from sessions.actions.runs import start_run
from sessions.actions.sessions import archive_session
from sessions.actions.settlements import settle_run
from sessions.models import Access, Place, SelectionKind, Session
from sessions.mounts.admission import NewMount, NewSession
from sessions.mounts.selections import Selection
from sessions.queries.checkpoints import checkpoints_of
from sessions.queries.facts import Wish
from sessions.queries.runs import find_run
from sessions.turns.captures import Capture, CapturedDocument
from sessions.turns.settling import NewSettlement
from tenancy.actions.keys import create_key, revoke_key
from tenancy.authentication import caller_of_key
from tenancy.caller import Caller, platform_caller
from tenancy.models import ApiKey, Permission, Workspace

NAME: Final = "desk-notes"
DESCRIPTION: Final = "What the author's support agent keeps from one turn to the next."
INSTRUCTIONS: Final = "Read this first. Write down what the next conversation should know."
RUNNER: Final = "Runner of the demo"


def load_agent_at_work(cast: Cast, callers: Mapping[Role, Caller]) -> None:
    """Start the Sessions as the author would, let two of them work, and end one."""
    author = callers[Role.AUTHOR]
    notes, team = _ensure_notes(cast, callers), find_store(cast.workspace, TEAM_MEMORY)
    assert team is not None
    ended = start_session(author, "ended", _looking(cast, team))
    _end(open_session(author, ended))
    start_session(author, "reader", _reading(cast, team))
    load_agent_calling(cast, author, notes, team)
    worker = start_session(author, "worker", _working(cast, notes, team))
    if not checkpoints_of(worker).exists():
        _learn(cast, author, worker, notes)
    start_run(access=open_session(author, worker), key=demo_key("next-run")).require()
    agent = sent_for(author, open_session(author, worker).session)
    Desk(team, {Role.AGENT: agent}).propose(story.PROPOSED)


def _ensure_notes(cast: Cast, callers: Mapping[Role, Caller]) -> str:
    owner = Owner(OwnerKind.PRINCIPAL, cast.author.id)
    settings = StoreSettings(NAME, owner, DESCRIPTION)
    store_id = ensure_store(callers[Role.AUTHOR], cast.workspace, settings)
    grant_on_store(store_id, cast.agent, Permission.READ, Permission.WRITE)
    Desk(store_id, callers).write(story.BEGINNING)
    return store_id


def _working(cast: Cast, notes: str, team: str) -> NewSession:
    return NewSession(
        agent_id=cast.agent.id,
        environment_id=cast.environment.id,
        mounts=(
            NewMount(Wish(notes, Access.READ_WRITE), "/memory/notes", INSTRUCTIONS),
            NewMount(Wish(team, Access.READ_WRITE), "/memory/team"),
        ),
    )


def _end(access: SessionAccess) -> None:
    """Archive a Session, unless an earlier load did."""
    if access.session.state == Session.State.ACTIVE:
        archive_session(access=access)


def _looking(cast: Cast, team: str) -> NewSession:
    mounts = (NewMount(Wish(team, Access.READ_ONLY)),)
    return NewSession(cast.agent.id, cast.environment.id, mounts=mounts)


def _reading(cast: Cast, team: str) -> NewSession:
    exact = Selection(SelectionKind.VERSION, canonical_id(team))
    return NewSession(
        agent_id=cast.agent.id,
        environment_id=cast.environment.id,
        place=Place.PRIVATE,
        space_id=cast.space.id,
        mounts=(NewMount(Wish(team, Access.READ_ONLY, exact)),),
    )


def _learn(cast: Cast, author: Caller, session_id: str, notes: str) -> None:
    """One Run, and what its runner found in the notes when the turn was over."""
    started = start_run(access=open_session(author, session_id), key=demo_key("run"))
    run = find_run(author, started.require())
    base = canonical_id(notes)
    kept = [CapturedDocument(one.path, one.content_sha256) for one in list_documents(base, limit=9)]
    learned = CapturedDocument(story.LEARNED_PATH, Put(story.learned(story.LEARNED_PATH)))
    capture = Capture(notes, base, "demo/1.0", [*kept, learned])
    key = _runner_key(cast)
    access = open_session(caller_of_key(key), session_id)
    settle_run(access=access, wanted=NewSettlement(run, (capture,), demo_key("settlement")))
    _revoke_runner_keys(cast.workspace)


def _runner_key(cast: Cast) -> ApiKey:
    _revoke_runner_keys(cast.workspace)
    key, _ = create_key(
        caller=platform_caller(cast.workspace),
        name=RUNNER,
        key_class=ApiKey.Class.RUNNER,
        environment_ids=[cast.environment.id],
    )
    return ApiKey.objects.select_related("workspace", "principal").get(id=key.id)


def _revoke_runner_keys(workspace: Workspace) -> None:
    """Nobody knows the secret of such a key, so none is left to be wondered about."""
    for key in ApiKey.objects.filter(workspace=workspace, name=RUNNER, revoked_at=None):
        revoke_key(caller=platform_caller(workspace), key_id=key.id)
