"""Signing in and out, and the password."""

from typing import Any

from django.test import Client
from limits import parse_many

from tenancy.models import AuditEntry
from tests.console.conftest import Reader, Scene
from tests.factories import PASSWORD

NEW = "a quite different password"


def test_signing_in_leads_back(scene: Scene, visitor: Reader) -> None:
    sent = visitor.get("/stores?q=x")
    assert sent.status_code == 302
    assert sent["Location"] == "/sign-in?next=/stores%3Fq%3Dx"
    form = {"username": "robin", "password": PASSWORD, "next": "/stores?q=x"}
    answer = visitor.post("/sign-in", form)
    assert answer["Location"] == "/stores?q=x"
    assert "Robin Reviewer" in visitor.text("/stores")


def test_a_wrong_password_is_told_and_nothing_more(scene: Scene, visitor: Reader) -> None:
    for name in ("robin", "no-such-person"):
        answer = visitor.post("/sign-in", {"username": name, "password": "wrong"})
        assert answer.status_code == 422
        assert b"Please enter a correct User name and password." in answer.content or (
            b"Please enter a correct username and password" in answer.content
        )


def test_signing_in_never_leads_elsewhere(scene: Scene, visitor: Reader) -> None:
    form = {"username": "robin", "password": PASSWORD, "next": "https://example.org/"}
    assert visitor.post("/sign-in", form)["Location"] == "/"


def test_signing_out_needs_a_post(scene: Scene, reviewer: Reader) -> None:
    assert reviewer.get("/sign-out").status_code == 405
    assert reviewer.post("/sign-out").status_code == 302
    assert reviewer.get("/").status_code == 302


def test_a_fragment_of_a_signed_out_person_leads_to_sign_in(visitor: Reader) -> None:
    answer = visitor.client.get(
        "/stores",
        headers={"HX-Request": "true", "HX-Current-URL": "http://testserver/stores?q=a"},
    )
    assert answer["HX-Redirect"] == "/sign-in?next=/stores%3Fq%3Da"


def test_changing_the_password_ends_other_sign_ins(scene: Scene, visitor: Reader) -> None:
    other = Reader()
    for reader in (visitor, other):
        reader.post("/sign-in", {"username": "robin", "password": PASSWORD})
    form = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    assert visitor.post("/password", form | {"old_password": "wrong"}).status_code == 422
    assert visitor.post("/password", form)["Location"] == "/"
    assert "Your password is changed." in visitor.text("/")
    assert other.get("/").status_code == 302
    assert Client().login(username="robin", password=NEW)


def test_a_form_without_its_token_is_refused_in_the_design(scene: Scene) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert scene.reviewer.user is not None
    strict.force_login(scene.reviewer.user)
    answer = strict.post("/theme", {"theme": "dark"})
    assert answer.status_code == 403
    assert b"Nothing was changed." in answer.content
    assert b"Robin Reviewer" in answer.content


def test_a_changed_password_is_in_the_audit_log(scene: Scene, visitor: Reader) -> None:
    visitor.post("/sign-in", {"username": "robin", "password": PASSWORD})
    form = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    visitor.post("/password", form)
    event = AuditEntry.objects.get(event="principal.password_changed")
    assert NEW not in str(event.detail)


def test_a_user_name_is_not_tried_for_ever(scene: Scene, visitor: Reader, settings: Any) -> None:
    """Right or wrong, known or not: what is counted is the name, in any case of its letters.

    Whoever guesses elsewhere keeps nobody out.
    """
    settings.SIGN_IN_LIMITS = parse_many("3/minute")
    for name in ("robin", "ROBIN", "robin"):
        assert visitor.post("/sign-in", {"username": name, "password": "x"}).status_code == 422
    answer = visitor.post("/sign-in", {"username": "robin", "password": PASSWORD})
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 60
    assert visitor.get("/").status_code == 302
    assert visitor.post("/sign-in", {"username": "else", "password": "x"}).status_code == 422
    visitor.client.defaults["REMOTE_ADDR"] = "192.0.2.7"
    assert visitor.post("/sign-in", {"username": "robin", "password": PASSWORD}).status_code == 302


def test_a_user_name_is_not_tried_for_ever_from_many_places(visitor: Reader, settings: Any) -> None:
    settings.SIGN_IN_LIMITS = parse_many("2/minute")
    settings.SIGN_IN_NAME_LIMITS = parse_many("3/minute")
    found = []
    for last in (1, 1, 1, 1, 2, 3):
        visitor.client.defaults["REMOTE_ADDR"] = f"192.0.2.{last}"
        form = {"username": "everywhere", "password": "x"}
        found.append(visitor.post("/sign-in", form).status_code)
    assert found == [422, 422, 429, 429, 422, 429]
