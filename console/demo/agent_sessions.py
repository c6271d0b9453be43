"""Starting the agent's Sessions as the author would, each once."""

from sessions.actions.sessions import create_session
from sessions.mounts.admission import NewSession
from tenancy.caller import Caller
from wire.idempotency import IdempotencyKey, fingerprint


def start_session(caller: Caller, name: str, wanted: NewSession) -> str:
    """Make a Session once: a load that was cut short finds it again."""
    return create_session(caller=caller, wanted=wanted, key=demo_key(f"session-{name}")).session_id


def demo_key(name: str) -> IdempotencyKey:
    """What the demo knows a write of its own by."""
    return IdempotencyKey(f"demo-{name}", fingerprint("POST", "demo", name))
