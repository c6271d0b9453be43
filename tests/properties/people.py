"""Who asks, on both sides: callers as the oracle knows them, and persons with keys."""

from dataclasses import dataclass

from tenancy.models import ApiKey, Principal, Workspace
from tests.client import Api
from tests.factories import grant, make_key, make_person
from tests.oracle.values import Caller

CREATOR = Caller("creator", frozenset({"read", "write", "admin"}))
AUTHOR = Caller("author", frozenset({"read", "write"}))
KEEPER = Caller("keeper", frozenset({"read", "write", "review", "admin"}))
REVIEWER = Caller("reviewer", frozenset({"read", "review"}))
READER = Caller("reader", frozenset({"read"}))
BLIND = Caller("blind", frozenset({"write", "review"}))
STRANGER = Caller("stranger", frozenset())
ADMIN = Caller("admin", frozenset(), admin=True)
CALLERS = (AUTHOR, KEEPER, REVIEWER, READER, BLIND, STRANGER, ADMIN)


@dataclass(frozen=True)
class Person:
    """Somebody with a key that is bound to them."""

    principal: Principal
    key: ApiKey
    api: Api


def make_people(workspace: Workspace) -> dict[str, Person]:
    """A person with a key for each caller; what they may do is granted store by store."""
    people = {caller.name: _make_person(workspace, caller) for caller in (CREATOR, *CALLERS)}
    grant(people[CREATOR.name].principal, workspace, *CREATOR.permissions)
    return people


def _make_person(workspace: Workspace, caller: Caller) -> Person:
    principal = make_person(workspace, caller.name, is_admin=caller.admin)
    key_class = ApiKey.Class.ADMIN if caller.admin else ApiKey.Class.STANDARD
    key, secret = make_key(workspace, principal=principal, key_class=key_class)
    return Person(principal, key, Api(secret))
