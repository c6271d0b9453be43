"""Sessions for the screens: one that worked, a reader of an exact version, and an archived one."""

from memory.access import open_store
from memory.actions.change_sets import Operation
from memory.queries.versions import canonical_id
from memory.versions.sealing import Put
from sessions.access import find_session, open_session, sent_for
from sessions.actions.checkpoints import NewCheckpoint, checkpoint
from sessions.actions.keys import create_session_key
from sessions.actions.runs import start_run
from sessions.actions.sessions import archive_session, create_session
from sessions.models import Access, Place, SelectionKind
from sessions.mounts.admission import NewMount, NewSession
from sessions.mounts.selections import Selection
from sessions.queries.facts import Wish
from sessions.turns.checkpointing import Turn
from tenancy.models import Principal
from tests.factories import caller_for

INSTRUCTIONS = "What this person wants kept.\nAdd to it, and take nothing away."


def make_sessions(
    person: Principal, parties: tuple[str, str, str], shared: str, own: str
) -> dict[str, str]:
    """Their IDs: `worked`, `reader` and `archived`.

    Args:
        parties: the agent, the environment and the space.
        shared, own: stores of the Workspace and of the person.
    """
    agent, environment, space = parties
    writing = NewMount(Wish(own, Access.READ_WRITE), "/memory/own", INSTRUCTIONS)
    worked = _start(person, NewSession(agent, environment, mounts=(writing, _shared(shared))))
    _work(person, worked, own)
    exact = Selection(SelectionKind.VERSION, canonical_id(shared))
    reader = NewSession(
        agent,
        environment,
        Place.PRIVATE,
        space,
        (NewMount(Wish(shared, Access.READ_ONLY, exact)),),
    )
    archived = _start(person, NewSession(agent, environment))
    archive_session(access=open_session(caller_for(person), archived))
    return {"worked": worked, "reader": _start(person, reader), "archived": archived}


def _shared(store: str) -> NewMount:
    return NewMount(Wish(store, Access.READ_WRITE))


def _start(person: Principal, wanted: NewSession) -> str:
    return create_session(caller=caller_for(person), wanted=wanted).session_id


def _work(person: Principal, session_id: str, store: str) -> None:
    """A key, a Run, and what one of its turns sealed."""
    caller = caller_for(person)
    create_session_key(access=open_session(caller, session_id), name="Ada's laptop")
    start_run(access=open_session(caller, session_id)).require()
    agent = sent_for(caller, find_session(caller.workspace_id, session_id))
    wanted = NewCheckpoint(
        Turn(session_id, "monday"),
        canonical_id(store),
        (Operation("/learned/names.md", Put("# Names\n\nAsk before you rename.\n"), None),),
    )
    checkpoint(access=open_store(agent, store), wanted=wanted)
