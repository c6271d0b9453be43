"""The support agent in the web chat, where its own calls write."""

from console.demo import agent_story as story
from console.demo.agent_sessions import demo_key, start_session
from console.demo.cast import Cast
from memory.actions.change_sets import Operation
from memory.versions.sealing import Put
from sessions.access import SessionAccess, open_session
from sessions.actions.calls import NewCall, write_memory
from sessions.actions.inputs import accept_input
from sessions.actions.rounds import enter_round, finish_round
from sessions.models import Access, Place, Round, SessionInput
from sessions.mounts.admission import NewMount, NewSession
from sessions.queries.facts import Wish
from sessions.queries.rounds import find_input, find_round
from sessions.turns.native import open_use
from tenancy.caller import Caller


def load_agent_calling(cast: Cast, author: Caller, notes: str, team: str) -> None:
    """One input: a round that wrote, and the next, which goes on."""
    mounts = (
        NewMount(Wish(notes, Access.READ_WRITE), "/memory/notes"),
        NewMount(Wish(team, Access.READ_ONLY), "/memory/team"),
    )
    wanted = NewSession(cast.agent.id, cast.chat.id, Place.DM, mounts=mounts)
    access = open_session(author, start_session(author, "calling", wanted))
    accepted = accept_input(access=access, key=demo_key("input")).require()
    _write(access, _enter(access, find_input(author, accepted), "round-1"))
    _enter(access, find_input(author, accepted), "round-2")


def _enter(access: SessionAccess, accepted: SessionInput, name: str) -> Round:
    entered = enter_round(access=access, accepted=accepted, key=demo_key(name))
    return find_round(access.caller, entered.round_id)


def _write(access: SessionAccess, entered: Round) -> None:
    """The one call of a round, and its end; a load that was cut short finds both."""
    learned = Operation(story.CALLED_PATH, Put(story.learned(story.CALLED_PATH)), None)
    wanted = NewCall("write-1", (learned,), "Write down how an address is changed")
    write_memory(use=open_use(access, entered, 1), wanted=wanted, key=demo_key("call"))
    if entered.state == Round.State.ENTERED:
        finish_round(access=access, entered=entered)
