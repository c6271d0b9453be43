"""Workers that were woken twice for the same: people are told once, and by one letter."""

import pytest
from django.core import mail
from django.db import connection

from database.transactions import durable
from notices.models import Channel, Letter, Notice, OutboxEntry, Preferences, Rhythm
from notices.posting import send_letter
from notices.spreading import spread
from tests.notices.telling import tell_all
from tests.proposals.scenario import Scenario, make_scenario
from tests.race import race
from wire.times import now

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def scenario() -> Scenario:
    made = make_scenario()
    Preferences.objects.create(
        principal=made.reviewer,
        address="bob@example.com",
        confirmed_at=now(),
        assigned=Channel.MAIL,
        digest=Rhythm.OFF,
        updated_at=now(),
    )
    return made


@pytest.mark.parametrize("nth", range(3))
def test_spread_by_many_workers_at_once(scenario: Scenario, nth: int) -> None:
    scenario.propose({"/a.md": "1\n"})
    entry = OutboxEntry.objects.get().id

    results = race(*(lambda: spread(entry) for _ in range(4)))

    assert [one for one in results if isinstance(one, Exception)] == []
    assert (Notice.objects.count(), Letter.objects.count()) == (1, 1)
    assert not OutboxEntry.objects.exists()


@pytest.mark.parametrize("nth", range(3))
def test_sent_by_many_workers_at_once(scenario: Scenario, nth: int) -> None:
    scenario.propose({"/a.md": "1\n"})
    tell_all()
    letter = Letter.objects.get().id

    results = race(*(lambda: send_letter(letter) for _ in range(4)))

    assert [one for one in results if isinstance(one, Exception)] == []
    assert len(mail.outbox) == 1
    assert Letter.objects.get().ended == "sent"


def test_a_decision_while_its_opening_is_told(scenario: Scenario) -> None:
    opened = scenario.propose({"/a.md": "1\n"})
    entry = OutboxEntry.objects.get().id

    results = race(lambda: spread(entry), lambda: scenario.approve(opened))

    assert [one for one in results if isinstance(one, Exception)] == []
    tell_all()
    unread = Notice.objects.filter(read_at=None).values_list("principal", flat=True)
    assert list(unread) == [scenario.author.id]


def test_a_worker_that_is_killed_while_it_tells_leaves_all_to_be_told(scenario: Scenario) -> None:
    """The end of the connection, in the middle of the transaction, is what a kill comes to."""
    scenario.propose({"/a.md": "1\n"})
    entry = OutboxEntry.objects.get().id

    @durable
    def die_while_telling() -> None:
        OutboxEntry.objects.select_for_update().get(id=entry)
        OutboxEntry.objects.filter(id=entry).delete()
        connection.close()

    race(die_while_telling)
    assert OutboxEntry.objects.filter(id=entry).exists()
    tell_all()
    assert Notice.objects.count() == 1
