"""What letters say: which Proposal of which store, by their identifiers, and where to look.

Titles, names, paths and words stay in the Console: nobody can take a letter back, so it holds
nothing that an erasure would have to (contract X1, X5).
"""

from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string

from notices.addresses import address, paths
from notices.models import Letter, LetterKind, NoticeKind, Preferences
from notices.queries.notices import notices_of
from notices.tokens import Confirmation, Unsubscription, digest_of
from proposals.queries.queue import review_queue
from tenancy.authentication import caller_of_person
from tenancy.caller import Caller
from tenancy.models import Principal, Workspace

DIGEST_LENGTH: Final = 20
"""Proposals that a digest lists; it counts the rest."""

_ENDED_BY: Final = {
    NoticeKind.ASSIGNED: "assigned",
    NoticeKind.COMMENTED: "commented",
    NoticeKind.APPROVAL_KEPT: "decided",
    NoticeKind.DECIDED: "decided",
}
_SUBJECTS: Final = {
    NoticeKind.ASSIGNED: "A Proposal waits for you",
    NoticeKind.COMMENTED: "A comment on a Proposal",
    NoticeKind.APPROVAL_KEPT: "An approval of your Proposal",
    NoticeKind.DECIDED: "A decision on a Proposal",
}


@dataclass(frozen=True, slots=True)
class _Text:
    """What a letter says, and the preference that asked for it."""

    subject: str
    template: str
    context: dict[str, Any]
    ended_by: str | None = None


def compose(letter: Letter) -> EmailMessage | None:
    """Write a letter by what is true now; None when it has nothing to say to the person any more.

    That is so once they may not read the store, cannot sign in, have no confirmed address, ended
    this kind of e-mail, or read it in the Console already.

    Args:
        letter: with its principal, the principal's Workspace and sign-in.
    """
    person = letter.principal
    preferences = Preferences.objects.filter(principal=person).first()
    if preferences is None or not _may_sign_in(person):
        return None
    caller = caller_of_person(person)
    text = _text(letter, caller, preferences)
    to = _recipient(letter, preferences)
    if text is None or to is None:
        return None
    return _message(letter, text, to)


def _may_sign_in(person: Principal) -> bool:
    active = person.state == Principal.State.ACTIVE
    signs_in = person.user is not None and person.user.is_active
    return active and signs_in and person.workspace.state == Workspace.State.ACTIVE


def _recipient(letter: Letter, preferences: Preferences) -> str | None:
    if letter.kind == LetterKind.CONFIRMATION:
        return preferences.address if preferences.confirmed_at is None else None
    return preferences.mail_address


def _text(letter: Letter, caller: Caller, preferences: Preferences) -> _Text | None:
    if letter.kind == LetterKind.CONFIRMATION:
        return _confirmation(letter, preferences)
    if letter.kind == LetterKind.DIGEST:
        return _digest(caller)
    return _notice(letter, caller)


def _confirmation(letter: Letter, preferences: Preferences) -> _Text | None:
    if preferences.address is None:
        return None
    token = Confirmation(letter.principal_id, digest_of(preferences.address)).spell()
    context = {"url": address(paths().confirmation(token))}
    return _Text("Confirm your address", "confirmation", context)


def _notice(letter: Letter, caller: Caller) -> _Text | None:
    notice = notices_of(caller).filter(id=letter.notice_id, read_at=None).first()
    if notice is None:
        return None
    context = {
        "notice": notice,
        "proposal": notice.proposal,
        "url": address(paths().proposal(notice.proposal_id, notice.comment_id)),
    }
    kind = NoticeKind(notice.kind)
    return _Text(_SUBJECTS[kind], "notice", context, _ENDED_BY[kind])


def _digest(caller: Caller) -> _Text | None:
    waiting = review_queue(caller, length=DIGEST_LENGTH).waiting
    if not waiting.views:
        return None
    listed = [
        (view.proposal, address(paths().proposal(view.proposal.id, None))) for view in waiting.views
    ]
    total = waiting.total or len(listed)
    context = {
        "total": total,
        "listed": listed,
        "left": total - len(listed),
        "url": address(paths().queue()),
    }
    what = "1 Proposal waits" if total == 1 else f"{total} Proposals wait"
    return _Text(f"{what} for you", "digest", context, "digest")


def _message(letter: Letter, text: _Text, to: str) -> EmailMessage:
    headers = {"Message-ID": _message_id(letter), "Auto-Submitted": "auto-generated"}
    context = text.context | {"preferences_url": address(paths().preferences())}
    if text.ended_by:
        token = Unsubscription(letter.principal_id, text.ended_by).spell()
        end = address(paths().unsubscription(token))
        context["end_url"] = end
        headers["List-Unsubscribe"] = f"<{end}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    body = render_to_string(f"notices/{text.template}.txt", context)
    return EmailMessage(f"[Checkfu Memory] {text.subject}", body, to=[to], headers=headers)


def _message_id(letter: Letter) -> str:
    """The same each time a letter is sent: mail programs show one that came twice once."""
    made = int(letter.created_at.timestamp() * 1_000_000)
    domain = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].rstrip(">") or "localhost"
    return f"<letter-{letter.id}-{made}@{domain}>"
