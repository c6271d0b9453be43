"""Acting as a Session's agent with another credential than the Session's key (contract S5)."""

from dataclasses import replace

from tenancy.caller import Caller, SessionAgent
from tenancy.models import Principal


def acting_as(sender: Caller, agent: SessionAgent, principal_id: str) -> Caller:
    """The agent of a Session, as the Caller of what somebody else sends for it.

    The grants of the agent and of its acting principal count, and the sender's do not: that it
    may send this is for whoever asks to have checked. Receipts and audit rows name the sender.

    Raises:
        DisabledTenancy: the Workspace or one of the principals is disabled.
    """
    caller = _as_agent(sender, agent, principal_id)
    caller.require_active()
    return caller


def sent_again(caller: Caller, sender: Caller) -> Caller:
    """The same once more, after its sender was looked up afresh."""
    assert caller.agent is not None
    assert caller.named_principal_id is not None
    return _as_agent(sender, caller.agent, caller.named_principal_id)


def _as_agent(sender: Caller, agent: SessionAgent, principal_id: str) -> Caller:
    principal = Principal.objects.get(id=principal_id)
    active = principal.state == Principal.State.ACTIVE
    return replace(
        sender,
        named_principal_id=principal_id,
        principal_is_service=principal.kind == Principal.Kind.SERVICE,
        is_admin=False,
        agent=agent,
        sender=sender,
        principal_active=sender.principal_active and active,
    )
