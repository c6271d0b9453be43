"""What the agent of a Session may write: its own working ref and nothing else (contract C6).

What its mounts allow is a higher room's business, which registers a gate at start-up.
"""

from collections.abc import Callable

from memory.access import StoreAccess
from memory.models import RefKind
from memory.refs import RefName
from tenancy.caller import Caller
from wire.errors import PolicyDenied, ReadOnly

type Gate = Callable[[StoreAccess], None]
"""Raises unless the mounts of the caller's own Session let it write to the store."""

_gates: list[Gate] = []


def register_gate(gate: Gate) -> None:
    """Add a gate at start-up; all of them have to let an agent pass."""
    _gates.append(gate)


def require_own_ref(access: StoreAccess, ref: RefName) -> None:
    """Refuse the agent of a Session any ref but its own, and that where a mount forbids it.

    Other callers pass.

    Raises:
        ReadOnly: canonical, or a mount that is only read.
        PolicyDenied: another ref, or a mount that the Session does not have.
    """
    agent = access.caller.agent
    if agent is None:
        return
    if ref.kind == RefKind.CANONICAL:
        raise ReadOnly("The agent of a Session never writes canonical, only its own working ref.")
    if ref != RefName(RefKind.SESSION, agent.session_id):
        raise PolicyDenied("The agent of a Session writes only its own working ref.")
    for gate in _gates:
        gate(access)


def refuse_agents(caller: Caller) -> None:
    """Refuse the agent of a Session what is not its business, whatever it is granted.

    Raises:
        PolicyDenied: the caller is one.
    """
    if caller.agent:
        raise PolicyDenied("The agent of a Session may not do this, whatever it is granted.")
