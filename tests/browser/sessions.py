"""Sessions for the screens: working, calling, reading an exact version, and archived."""

from memory.access import open_store
from memory.actions.change_sets import Operation
from memory.queries.versions import canonical_id
from memory.versions.sealing import Put
from sessions.access import find_session, open_session, sent_for
from sessions.actions.calls import NewCall, write_memory
from sessions.actions.checkpoints import NewCheckpoint, checkpoint
from sessions.actions.inputs import accept_input
from sessions.actions.keys import create_session_key
from sessions.actions.rounds import enter_round, finish_round
from sessions.actions.runs import start_run
from sessions.actions.sessions import archive_session, create_session
from sessions.models import Access, Place, SelectionKind
from sessions.mounts.admission import NewMount, NewSession
from sessions.mounts.selections import Selection
from sessions.queries.facts import Wish
from sessions.queries.rounds import find_input, find_round
from sessions.turns.checkpointing import Turn
from sessions.turns.native import open_use
from tenancy.models import Principal
from tests.factories import caller_for, make_environment
from wire.idempotency import IdempotencyKey, fingerprint

INSTRUCTIONS = "What this person wants kept.\nAdd to it, and take nothing away."


def make_sessions(
    person: Principal, parties: tuple[str, str, str], shared: str, own: str
) -> dict[str, str]:
    """Their IDs: `worked`, `calling`, `reader` and `archived`.

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
    return {
        "worked": worked,
        "calling": _calling(person, agent, shared, own),
        "reader": _start(person, reader),
        "archived": archived,
    }


def _calling(person: Principal, agent: str, shared: str, own: str) -> str:
    """One where what runs writes by calls: an input, a round that wrote, and one that goes on."""
    native = make_environment(person.workspace, memory_writer="native", name="Web chat")
    writing = NewMount(Wish(own, Access.READ_WRITE), "/memory/own")
    session = _start(person, NewSession(agent, native.id, mounts=(writing, _shared(shared))))
    access = open_session(caller_for(person), session)
    accepted = find_input(access.caller, accept_input(access=access).require())
    entered = find_round(access.caller, enter_round(access=access, accepted=accepted).round_id)
    said = Operation("/called.md", Put("# Called\n"), None)
    write_memory(
        use=open_use(access, entered, 1),
        wanted=NewCall("call-1", (said,)),
        key=IdempotencyKey("call-1", fingerprint("POST", "screens", "call-1")),
    )
    finish_round(access=access, entered=entered)
    enter_round(access=access, accepted=accepted)
    return session


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
