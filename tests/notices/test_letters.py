"""E-mail: confirmed addresses alone, once each, with identifiers and links and nothing else."""

import re
from datetime import timedelta
from smtplib import SMTPServerDisconnected
from typing import Any

import pytest
from django.core import mail

from jobs.enqueueing import enqueue_chore
from jobs.models import Job
from memory.access import open_store
from memory.actions.redactions import redact
from notices.actions.preferences import (
    Wanted,
    change_preferences,
    confirm_address,
    unsubscribe,
)
from notices.models import Channel, Letter, Notice, OutboxEntry, Preferences, Rhythm
from notices.posting import ATTEMPTS, send_letter
from notices.spreading import spread
from notices.sweeping import due_letters, left_entries
from notices.tokens import read_confirmation, read_unsubscription
from proposals.actions.comments import NewComment, add_comment
from tenancy.actions.permissions import revoke
from tenancy.models import PermissionAssignment, Principal
from tests.clock import Clock, stop_clock
from tests.factories import caller_for, make_admin_key, platform
from tests.notices.telling import send_all, tell_all
from tests.proposals.scenario import Scenario
from tests.work import run_to_the_end
from wire.errors import Conflict, Malformed

pytestmark = pytest.mark.django_db

ADDRESS = "bob@example.com"


def wants(
    person: Principal, *, address: str | None = ADDRESS, confirmed: bool = True, **more: Any
) -> None:
    """Give somebody preferences, and an address that is theirs."""
    chosen = {
        "assigned": Channel.MAIL,
        "commented": Channel.MAIL,
        "decided": Channel.MAIL,
        "digest": Rhythm.OFF,
    } | more
    wanted = Wanted(address, **chosen)
    change_preferences(caller=caller_for(person), wanted=wanted)
    if confirmed and address:
        send_all()
        token = token_in(mail.outbox.pop())
        confirm_address(caller=caller_for(person), confirmation=read_confirmation(token))


def token_in(message: Any) -> str:
    found = re.search(r"token=([^\s>]+)", str(message.body))
    assert found, message.body
    return found[1].replace("%3A", ":")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return stop_clock(monkeypatch)


class TestSending:
    def test_a_letter_names_things_and_says_nothing_of_them(self, scenario: Scenario) -> None:
        wants(scenario.reviewer)
        opened = scenario.propose({"/secret-path.md": "hidden text\n"}, title="A secret title")
        tell_all()
        send_all()
        [letter] = mail.outbox
        assert letter.to == [ADDRESS]
        whole = letter.message().as_string()
        assert opened in whole
        assert scenario.store_id in whole
        assert f"http://localhost:8000/proposals/{opened}" in whole
        for text in ("secret", "hidden", "Alice", "Bob,", "team-memory"):
            assert text not in whole
        assert letter.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"

    def test_every_kind_is_sent(self, scenario: Scenario) -> None:
        scenario.change(minimum_approvals=2)
        carol = scenario.person("Carol", "read", "review")
        wants(scenario.author, address="alice@example.com")
        opened = scenario.propose({"/a.md": "1\n"})
        said = NewComment("words of a comment")
        comment = add_comment(
            access=scenario.access(scenario.reviewer), proposal_id=opened, comment=said
        )
        scenario.approve(opened)
        scenario.approve(opened, by=carol)
        tell_all()
        send_all()
        subjects = [each.subject.removeprefix("[Checkfu Memory] ") for each in mail.outbox]
        assert subjects == [
            "A comment on a Proposal",
            "An approval of your Proposal",
            "A decision on a Proposal",
        ]
        assert f"#comment-{comment.comment_id}" in mail.outbox[0].body
        assert "words of a comment" not in "".join(str(each.body) for each in mail.outbox)
        assert "is approved." in mail.outbox[2].body

    @pytest.mark.parametrize(
        ("channel", "notices", "letters"),
        [(Channel.MAIL, 1, 1), (Channel.IN_PAGE, 1, 0), (Channel.NONE, 0, 0)],
    )
    def test_as_the_person_wants_it(
        self, scenario: Scenario, channel: Channel, notices: int, letters: int
    ) -> None:
        wants(scenario.reviewer, assigned=channel)
        scenario.propose({"/a.md": "1\n"})
        tell_all()
        send_all()
        assert (Notice.objects.count(), len(mail.outbox)) == (notices, letters)

    def test_an_address_that_is_not_confirmed_gets_nothing(self, scenario: Scenario) -> None:
        wants(scenario.reviewer, confirmed=False)
        scenario.propose({"/a.md": "1\n"})
        tell_all()
        send_all()
        assert [each.subject for each in mail.outbox] == ["[Checkfu Memory] Confirm your address"]
        assert Notice.objects.count() == 1

    def test_who_may_not_read_any_more_gets_nothing(self, scenario: Scenario) -> None:
        wants(scenario.reviewer)
        scenario.propose({"/a.md": "1\n"})
        tell_all()
        held = PermissionAssignment.objects.get(subject_uuid=scenario.reviewer.id)
        revoke(caller=platform(scenario.workspace), assignment_id=held.id)
        send_all()
        assert mail.outbox == []
        assert [each.ended for each in Letter.objects.filter(kind="notice")] == ["dropped"]

    def test_what_was_read_or_ended_meanwhile_is_not_sent(self, scenario: Scenario) -> None:
        wants(scenario.reviewer)
        opened = scenario.propose({"/a.md": "1\n"})
        tell_all()
        scenario.approve(opened)
        tell_all()
        send_all()
        assert mail.outbox == []

    def test_a_redaction_leaves_nothing_to_take(self, scenario: Scenario) -> None:
        wants(scenario.author, address="alice@example.com")
        opened = scenario.propose({"/leak.md": "1\n"}, title="Unwanted words")
        tell_all()
        admin = caller_for(make_admin_key(scenario.workspace)[0])
        redact(access=open_store(admin, scenario.store_id), paths=["/leak.md"])
        tell_all()
        send_all()
        [letter] = mail.outbox
        assert opened in letter.body
        assert "superseded" in letter.body
        notice = Notice.objects.get(principal=scenario.author)
        assert (notice.actor_kind, notice.actor_uuid) == ("platform", None)


class TestOnce:
    def test_spreading_again_tells_nobody_again(self, scenario: Scenario) -> None:
        scenario.propose({"/a.md": "1\n"})
        entry = OutboxEntry.objects.get()
        spread(entry.id)
        spread(entry.id)
        assert Notice.objects.count() == 1
        assert not OutboxEntry.objects.exists()

    def test_sending_again_sends_nothing(self, scenario: Scenario) -> None:
        wants(scenario.reviewer)
        scenario.propose({"/a.md": "1\n"})
        tell_all()
        letter = Letter.objects.get(kind="notice")
        send_letter(letter.id)
        send_letter(letter.id)
        assert len(mail.outbox) == 1

    def test_what_the_server_refuses_is_tried_again_later(
        self, scenario: Scenario, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: Any
    ) -> None:
        wants(scenario.reviewer)
        scenario.propose({"/a.md": "1\n"})
        tell_all()
        letter = Letter.objects.get(kind="notice")

        def refuse(*_: Any, **__: Any) -> int:
            raise SMTPServerDisconnected(f"no {ADDRESS}")

        with monkeypatch.context() as patch:
            patch.setattr("django.core.mail.EmailMessage.send", refuse)
            send_letter(letter.id)
            send_letter(letter.id)
        letter.refresh_from_db()
        assert (letter.attempts, letter.ended) == (1, None)
        assert ADDRESS not in caplog.text
        assert due_letters() == []
        clock.move(minutes=2)
        assert due_letters() == [letter.id]
        send_letter(letter.id)
        assert len(mail.outbox) == 1
        assert due_letters() == []

    def test_an_address_that_nothing_can_be_sent_to_is_given_up(
        self, scenario: Scenario, clock: Clock
    ) -> None:
        wants(scenario.reviewer)
        Preferences.objects.update(address="me@xn--\u00fc.example")
        scenario.propose({"/a.md": "1\n"})
        tell_all()
        letter = Letter.objects.get(kind="notice")
        for _ in range(ATTEMPTS):
            send_letter(letter.id)
            clock.move(hours=3)
        letter.refresh_from_db()
        assert (letter.attempts, letter.ended) == (ATTEMPTS, "failed")

    def test_it_is_given_up_in_the_end(
        self, scenario: Scenario, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        wants(scenario.reviewer)
        scenario.propose({"/a.md": "1\n"})
        tell_all()
        letter = Letter.objects.get(kind="notice")

        def refuse(*_: Any, **__: Any) -> int:
            raise OSError

        monkeypatch.setattr("django.core.mail.EmailMessage.send", refuse)
        for _ in range(12):
            send_letter(letter.id)
            clock.move(hours=3)
        letter.refresh_from_db()
        assert (letter.attempts, letter.ended) == (8, "failed")

    def test_a_worker_that_died_leaves_it_to_another(
        self, scenario: Scenario, clock: Clock
    ) -> None:
        wants(scenario.reviewer)
        scenario.propose({"/a.md": "1\n"})
        clock.move(seconds=31)
        assert left_entries() == [OutboxEntry.objects.get().id]
        tell_all()
        letter = Letter.objects.get(kind="notice")
        from notices.posting import _claim

        assert _claim(letter.id) is not None
        send_letter(letter.id)
        assert mail.outbox == []
        clock.move(minutes=6)
        send_letter(letter.id)
        [sent] = mail.outbox
        assert sent.extra_headers["Message-ID"].startswith(f"<letter-{letter.id}-")

    def test_what_is_rolled_back_is_told_to_nobody(self, scenario: Scenario) -> None:
        with pytest.raises(Conflict):
            scenario.propose({"/a.md": "1\n", "/a.md/b.md": "1\n"})
        assert not OutboxEntry.objects.exists()


class TestAddresses:
    def test_a_link_is_for_one_address(self, scenario: Scenario) -> None:
        wants(scenario.reviewer, confirmed=False)
        send_all()
        token = token_in(mail.outbox[0])
        wants(scenario.reviewer, address="other@example.com", confirmed=False)
        caller = caller_for(scenario.reviewer)
        with pytest.raises(Conflict):
            confirm_address(caller=caller, confirmation=read_confirmation(token))
        assert Preferences.objects.get().mail_address is None

    def test_a_link_ends(self, scenario: Scenario) -> None:
        wants(scenario.reviewer, confirmed=False)
        send_all()
        token = token_in(mail.outbox[0])
        for wrong in (token + "x", token[1:], ""):
            with pytest.raises(Malformed):
                read_confirmation(wrong)
        with pytest.raises(Malformed):
            read_unsubscription(token)

    def test_a_new_address_is_asked_anew(self, scenario: Scenario) -> None:
        wants(scenario.reviewer)
        wants(scenario.reviewer, address="other@example.com", confirmed=False)
        assert Preferences.objects.get().mail_address is None
        wants(scenario.reviewer, address=None)
        assert Preferences.objects.get().address is None

    def test_unsubscribing_ends_one_kind(self, scenario: Scenario) -> None:
        wants(scenario.reviewer, digest=Rhythm.DAILY)
        scenario.propose({"/a.md": "1\n"})
        tell_all()
        send_all()
        token = mail.outbox[0].extra_headers["List-Unsubscribe"].partition("token=")[2][:-1]
        unsubscription = read_unsubscription(token.replace("%3A", ":"))
        unsubscribe(caller=caller_for(scenario.reviewer), unsubscription=unsubscription)
        kept = Preferences.objects.get()
        assert (kept.assigned, kept.commented, kept.digest) == ("in_page", "mail", "daily")


class TestDigests:
    def digest(self) -> list[str]:
        """What beat has done, and the letters that came of it."""
        from database.transactions import durable

        Job.objects.all().delete()
        run_to_the_end(durable(enqueue_chore)("notices.digest"))
        mail.outbox.clear()
        send_all()
        return [str(each.body) for each in mail.outbox]

    def test_it_lists_what_waits_once_a_day(self, scenario: Scenario, clock: Clock) -> None:
        wants(scenario.reviewer, assigned=Channel.NONE, digest=Rhythm.DAILY)
        assert self.digest() == []
        opened = [scenario.propose({"/a.md": f"{n}\n"}, title="Secret") for n in range(2)]
        [body] = self.digest()
        assert body.startswith("2 Proposals wait for your decision:")
        assert all(each in body for each in opened)
        assert "Secret" not in body
        assert self.digest() == []
        clock.move(days=1)
        assert len(self.digest()) == 1

    def test_or_once_a_week(self, scenario: Scenario, clock: Clock) -> None:
        wants(scenario.reviewer, digest=Rhythm.WEEKLY)
        scenario.propose({"/a.md": "1\n"})
        assert len(self.digest()) == 1
        clock.move(days=7)
        assert len(self.digest()) == 1
        assert self.digest() == []

    def test_or_never(self, scenario: Scenario) -> None:
        wants(scenario.reviewer)
        scenario.propose({"/a.md": "1\n"})
        assert self.digest() == []

    def test_a_long_one_counts_the_rest(
        self, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("notices.letters.DIGEST_LENGTH", 1)
        wants(scenario.reviewer, assigned=Channel.NONE, digest=Rhythm.DAILY)
        for n in range(3):
            scenario.propose({"/a.md": f"{n}\n"})
        [body] = self.digest()
        assert "and 2 more." in body

    def test_people_come_in_batches(
        self, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("notices.digests.BATCH", 1)
        people = [scenario.person(f"R{n}", "read", "review") for n in range(3)]
        for number, person in enumerate(people):
            wants(
                person,
                address=f"r{number}@example.com",
                assigned=Channel.NONE,
                digest=Rhythm.DAILY,
            )
        scenario.propose({"/a.md": "1\n"})
        assert len(self.digest()) == 3


class TestClearing:
    def test_what_is_old_goes(self, scenario: Scenario, clock: Clock) -> None:
        from database.transactions import durable

        wants(scenario.reviewer)
        opened = scenario.propose({"/a.md": "1\n"})
        tell_all()
        send_all()
        scenario.approve(opened)
        tell_all()
        clock.move(days=timedelta(days=91).days)
        run_to_the_end(durable(enqueue_chore)("notices.clear"))
        assert not Letter.objects.exists()
        assert [each.principal_id for each in Notice.objects.all()] == [scenario.author.id]
