"""Making the Session of a form, once however often it is sent."""

from hashlib import sha256

from console.sessions.plans import Plan
from sessions.actions.sessions import CreatedSession, create_session
from sessions.mounts.admission import NewSession
from tenancy.caller import Caller
from wire.idempotency import IdempotencyKey, fingerprint


def make_session(caller: Caller, plan: Plan) -> CreatedSession | None:
    """Make it; what is refused stands in the form then, and None is returned.

    A form that is sent twice as it is makes one Session. Sent again with other values, after
    going back to it, it makes another.
    """
    wanted = plan.wanted()
    key = _key(plan.form.cleaned_data["token"], wanted)
    return plan.form.carry_out(lambda: create_session(caller=caller, wanted=wanted, key=key))


def _key(token: str, wanted: NewSession) -> IdempotencyKey:
    values = sha256(repr(wanted).encode()).hexdigest()
    name = f"console-{token}-{values}"
    return IdempotencyKey(name, fingerprint("POST", "/sessions/new", name))
