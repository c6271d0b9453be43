"""Pages about notices: the list, the bell, preferences, and what letters lead to."""

import re

import pytest
from django.conf import LazySettings
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.access import open_store
from memory.actions.redactions import redact
from notices.models import Notice, Preferences
from proposals.actions.comments import NewComment, add_comment
from tenancy.actions.permissions import revoke
from tenancy.models import PermissionAssignment
from tests.console.conftest import Reader, Scene
from tests.factories import caller_for, make_admin_key, platform
from tests.notices.telling import forget, send_all, tell_all

pytestmark = pytest.mark.django_db

CHOSEN = {
    "address": "robin@example.com",
    "assigned": "mail",
    "commented": "in_page",
    "decided": "none",
    "digest": "weekly",
}


@pytest.fixture
def proposal(scene: Scene) -> str:
    """One that somebody was told of."""
    forget()
    opened = scene.propose("Say it better", {"/a.md": "1\n"})
    tell_all()
    return opened


def link_in(message: mail.EmailMessage, path: str) -> str:
    found = re.search(rf"http://localhost:8000({path}\?token=\S+)", str(message.body))
    assert found, message.body
    return found[1]


class TestTheList:
    def test_it_tells_what_happened(
        self, scene: Scene, proposal: str, reviewer: Reader, author: Reader
    ) -> None:
        page = reviewer.text("/notices")
        assert "Say it better" in page
        assert "Ada Author opened it, and it waits for you." in page
        scene.approve(proposal)
        tell_all()
        assert "Robin Reviewer approved it." in author.text("/notices")
        assert "it is approved by now." in reviewer.text("/notices")

    def test_opening_one_marks_it_and_goes_there(
        self, scene: Scene, proposal: str, reviewer: Reader
    ) -> None:
        notice = Notice.objects.get()
        assert "1 unread" in reviewer.text("/")
        answer = reviewer.post("/notices/open", {"notice": notice.id})
        assert (answer.status_code, answer["Location"]) == (303, f"/proposals/{proposal}")
        assert "unread" not in reviewer.text("/").lower()
        assert "Say it better" not in reviewer.text("/notices", unread="yes")

    def test_a_comment_has_its_anchor(self, scene: Scene, proposal: str, author: Reader) -> None:
        access = open_store(caller_for(scene.reviewer), scene.store)
        said = add_comment(access=access, proposal_id=proposal, comment=NewComment("Why?"))
        tell_all()
        notice = Notice.objects.get(principal=scene.author)
        answer = author.post("/notices/open", {"notice": notice.id})
        assert answer["Location"].endswith(f"#comment-{said.comment_id}")

    def test_all_of_them_that_the_page_showed(
        self, scene: Scene, proposal: str, reviewer: Reader
    ) -> None:
        newest = Notice.objects.get().id
        scene.propose("Later", {"/a.md": "2\n"})
        tell_all()
        reviewer.post("/notices/read", {"newest": newest})
        page = reviewer.text("/notices", unread="yes")
        assert "Later" in page
        assert "Say it better" not in page

    def test_they_are_ones_own(self, scene: Scene, proposal: str, author: Reader) -> None:
        assert "Say it better" not in author.text("/notices")
        notice = Notice.objects.get().id
        assert author.post("/notices/open", {"notice": notice}).status_code == 404
        author.post("/notices/read", {"newest": notice})
        assert Notice.objects.get().read_at is None

    def test_what_one_may_not_read_any_more_is_not_told(
        self, scene: Scene, proposal: str, reviewer: Reader
    ) -> None:
        held = PermissionAssignment.objects.get(subject_uuid=scene.reviewer.id)
        revoke(caller=platform(scene.workspace), assignment_id=held.id)
        page = reviewer.text("/notices")
        assert "Say it better" not in page
        assert "unread" not in reviewer.text("/").lower()

    def test_a_redacted_title_is_nowhere(
        self, scene: Scene, proposal: str, reviewer: Reader, author: Reader
    ) -> None:
        admin = caller_for(make_admin_key(scene.workspace)[0])
        redact(access=open_store(admin, scene.store), paths=["/a.md"])
        tell_all()
        for reader in (reviewer, author):
            page = reader.text("/notices")
            assert "Say it better" not in page
            assert "Title erased by a redaction" in page
        assert "a path of it was redacted" in author.text("/notices")

    def test_hostile_titles_stay_words(self, scene: Scene, reviewer: Reader) -> None:
        scene.propose("<script>alert(1)</script> \u202eevil", {"/a.md": "1\n"})
        tell_all()
        page = reviewer.text("/notices")
        assert "<script>alert" not in page
        assert "\u202e" not in page

    def test_it_takes_as_many_queries_however_long_it_is(
        self, scene: Scene, proposal: str, reviewer: Reader
    ) -> None:
        def count() -> int:
            with CaptureQueriesContext(connection) as queries:
                reviewer.text("/notices")
            return len(queries)

        one = count()
        for n in range(5):
            scene.propose(f"{n}", {"/a.md": f"{n}\n"})
        tell_all()
        assert count() == one

    def test_the_fence_closes_it(
        self, scene: Scene, reviewer: Reader, settings: LazySettings
    ) -> None:
        settings.VERSIONED_SURFACE = False
        assert reviewer.get("/notices").status_code == 503

    @pytest.mark.parametrize(
        ("path", "sent"),
        [("open", {"notice": "x"}), ("open", {}), ("read", {"newest": "-1"})],
    )
    def test_what_cannot_be_read_is_refused(
        self, reviewer: Reader, path: str, sent: dict[str, str]
    ) -> None:
        assert reviewer.post(f"/notices/{path}", sent).status_code == 400


class TestPreferences:
    def test_they_are_kept(self, scene: Scene, reviewer: Reader) -> None:
        assert reviewer.post("/notices/preferences", CHOSEN).status_code == 303
        kept = Preferences.objects.get()
        assert {name: getattr(kept, name) for name in CHOSEN} == CHOSEN
        page = reviewer.text("/notices/preferences")
        assert 'value="robin@example.com"' in page
        assert "Your address is not confirmed yet." in page

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("address", "nobody"),
            ("address", "me@xn--\u00fc.example"),
            ("address", f"me@{'\u00fc' * 60}.example"),
            ("assigned", "sms"),
            ("digest", "hourly"),
            ("decided", ""),
        ],
    )
    def test_what_makes_no_sense_is_told_at_its_field(
        self, reviewer: Reader, name: str, value: str
    ) -> None:
        answer = reviewer.post("/notices/preferences", CHOSEN | {name: value})
        assert answer.status_code == 422
        assert not Preferences.objects.exists()

    def test_an_address_is_confirmed_by_its_link(
        self, scene: Scene, reviewer: Reader, visitor: Reader
    ) -> None:
        reviewer.post("/notices/preferences", CHOSEN)
        send_all()
        link = link_in(mail.outbox[0], "/notices/confirm")
        assert "Confirm it" in visitor.text(link)
        assert Preferences.objects.get().confirmed_at is None
        assert visitor.post(link).status_code == 200
        assert Preferences.objects.get().mail_address == CHOSEN["address"]
        assert "not confirmed yet" not in reviewer.text("/notices/preferences")
        assert reviewer.post("/notices/ask").status_code == 409

    def test_the_letter_is_sent_again(self, scene: Scene, reviewer: Reader) -> None:
        reviewer.post("/notices/preferences", CHOSEN)
        reviewer.post("/notices/ask")
        send_all()
        assert len(mail.outbox) == 2

    def test_a_mail_program_ends_it_with_one_click(
        self, scene: Scene, reviewer: Reader, visitor: Reader
    ) -> None:
        reviewer.post("/notices/preferences", CHOSEN)
        send_all()
        visitor.post(link_in(mail.outbox.pop(), "/notices/confirm"))
        forget()
        scene.propose("Say it better", {"/a.md": "1\n"})
        tell_all()
        send_all()
        link = link_in(mail.outbox[0], "/notices/unsubscribe")
        assert "about Proposals that wait for you" in visitor.text(link)
        visitor.client.handler.enforce_csrf_checks = True
        answer = visitor.client.post(link, {"List-Unsubscribe": "One-Click"})
        assert answer.status_code == 200
        assert Preferences.objects.get().assigned == "in_page"

    @pytest.mark.parametrize("page", ["confirm", "unsubscribe"])
    def test_a_link_that_is_not_whole_is_refused(self, visitor: Reader, page: str) -> None:
        for query in ({}, {"token": "x"}, {"token": "WyJhIl0:1:2"}):
            assert visitor.client.get(f"/notices/{page}", query).status_code == 400
