"""What the links of letters carry: signed, so that whoever has the letter may follow it."""

from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final

from django.core import signing

from wire.errors import Malformed
from wire.ids import MalformedId, parse_id

MAY_BE_ENDED: Final = ("assigned", "commented", "decided", "digest")
"""The kinds of e-mail, by the names of the preferences that ask for them."""

_CONFIRMING_LASTS: Final = timedelta(days=3)
_CONFIRM, _END = "notices.confirm", "notices.unsubscribe"


@dataclass(frozen=True, slots=True)
class Confirmation:
    """That whoever has it reads what is sent to a person's address.

    Attributes:
        digest: of the address, which the link does not spell.
    """

    principal_id: str
    digest: str

    def spell(self) -> str:
        """As a link carries it, for three days."""
        return signing.dumps([self.principal_id, self.digest], salt=_CONFIRM)


@dataclass(frozen=True, slots=True)
class Unsubscription:
    """That whoever has it may end a kind of a person's e-mail.

    Attributes:
        what: one of MAY_BE_ENDED.
    """

    principal_id: str
    what: str

    def spell(self) -> str:
        """As a link carries it, for as long as letters are kept."""
        return signing.dumps([self.principal_id, self.what], salt=_END)


def digest_of(address: str) -> str:
    """What stands for an address."""
    return sha256(address.encode()).hexdigest()[:32]


def read_confirmation(token: str) -> Confirmation:
    """Read a confirmation back. Raises Malformed when it is none of ours, or too old."""
    person, digest = _read(token, salt=_CONFIRM, max_age=_CONFIRMING_LASTS)
    return Confirmation(person, digest)


def read_unsubscription(token: str) -> Unsubscription:
    """Read an unsubscription back. Raises Malformed when it is none of ours."""
    person, what = _read(token, salt=_END)
    if what not in MAY_BE_ENDED:
        raise Malformed("token: it ends no kind of e-mail.")
    return Unsubscription(person, what)


def _read(token: str, **options: Any) -> tuple[str, str]:
    try:
        person, what = signing.loads(token, **options)
        return parse_id("principal", person), what
    except (signing.BadSignature, MalformedId) as error:
        raise Malformed("token: this link is too old, or not whole. Ask for another.") from error
