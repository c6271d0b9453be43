"""Contract P6: comments stay where they were pinned, and go with what they are about."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from memory.access import open_store
from memory.actions.redactions import redact
from memory.models import CanonicalWrites, IdempotencyReceipt
from proposals.actions import comments
from proposals.actions.comments import NewComment, add_comment
from proposals.models import Comment
from tenancy.models import AuditEntry
from tests.client import Answer, Api, random_id
from tests.factories import make_admin_key, platform
from tests.proposals.scenario import Scenario, make_scenario
from tests.race import race

pytestmark = pytest.mark.django_db

BEFORE = "one\ntwo\nthree\n"
AFTER = "one\n2\nthree\nfour\n"


@pytest.fixture
def scenario() -> Scenario:
    scenario = make_scenario(canonical_writes=CanonicalWrites.DIRECT)
    scenario.write({"/a.md": BEFORE, "/old.md": "moves\n"})
    return scenario


@pytest.fixture
def opened(scenario) -> str:
    return scenario.propose({"/a.md": AFTER, "/old.md": None, "/new.md": "moves\n"})


@pytest.fixture
def apis(scenario) -> SimpleNamespace:
    return SimpleNamespace(
        author=scenario.api(scenario.author), reviewer=scenario.api(scenario.reviewer)
    )


def say(api: Api, scenario: Scenario, opened: str, text: str = "Why?", **more: Any) -> Answer:
    key = more.pop("key", "")
    return api.post(scenario.path(opened, "comments"), {"text": text, **more}, key=key)


def at(scenario: Scenario, opened: str, comment: dict[str, Any], verb: str = "") -> str:
    return scenario.path(opened, f"comments/{comment['id']}/{verb}".rstrip("/"))


def told(api: Api, scenario: Scenario, opened: str) -> list[dict[str, Any]]:
    return list(api.pages(scenario.path(opened, "comments")))


def erase(scenario: Scenario, path: str) -> None:
    redact(access=open_store(platform(scenario.workspace), scenario.store_id), paths=[path])


def test_P6_the_shape_of_a_comment_on_a_line(scenario, opened, apis):
    made = say(apis.reviewer, scenario, opened, path="/a.md", side="base", line=2).ok(201)

    proposal = scenario.view(opened).proposal
    assert made["id"].startswith("mcmt_")
    assert made["author"]["kind"] == "api_key"
    assert {name: made[name] for name in made if name not in {"id", "author", "created_at"}} == {
        "proposal": opened,
        "thread": None,
        "version": proposal.base_id,
        "path": "/a.md",
        "side": "base",
        "line": 2,
        "text": "Why?",
        "edited_at": None,
        "deleted_at": None,
        "erased": None,
        "resolved": None,
    }
    assert told(apis.author, scenario, opened) == [made]
    assert apis.author.get(at(scenario, opened, made)).ok() == made


def test_P6_on_a_document_and_on_the_whole(scenario, opened, apis):
    document = say(apis.author, scenario, opened, path="/a.md").ok(201)
    whole = say(apis.author, scenario, opened).ok(201)

    assert (document["side"], document["line"]) == ("head", None)
    assert document["version"] == scenario.view(opened).proposal.head_id
    assert (whole["path"], whole["version"]) == (None, None)
    shown = apis.author.get(scenario.path(opened)).ok()
    assert (shown["comments"], shown["unresolved_threads"]) == (2, 2)


@pytest.mark.parametrize(
    ("place", "field"),
    [
        ({"path": "/a.md", "line": 5}, "line"),
        ({"path": "/a.md", "line": 4, "side": "base"}, "line"),
        ({"path": "/a.md", "line": 0}, "line"),
        ({"path": "/elsewhere.md"}, "path"),
        ({"path": "/old.md"}, "path"),
        ({"path": "/new.md", "side": "base"}, "path"),
        ({"side": "base"}, "path"),
        ({"line": 1}, "path"),
        ({"text": ""}, "text"),
        ({"text": " \n"}, "text"),
        ({"text": "x" * 4_097}, "text"),
    ],
)
def test_P6_a_place_that_is_not_there_is_refused(scenario, opened, apis, place, field):
    answer = say(apis.reviewer, scenario, opened, **place)

    assert answer.error == "validation.malformed"
    assert field in answer.message
    assert not Comment.objects.exists()


def test_P6_each_side_of_a_rename_has_its_own_path(scenario, opened, apis):
    say(apis.reviewer, scenario, opened, path="/old.md", side="base", line=1).ok(201)
    say(apis.reviewer, scenario, opened, path="/new.md", line=1).ok(201)


def test_P6_replies_and_who_may_not_be_answered(scenario, opened, apis):
    begun = say(apis.reviewer, scenario, opened, path="/a.md", line=2).ok(201)
    reply = say(apis.author, scenario, opened, "Because.", thread=begun["id"]).ok(201)

    assert (reply["thread"], reply["path"]) == (begun["id"], None)
    nested = say(apis.reviewer, scenario, opened, thread=reply["id"])
    placed = say(apis.reviewer, scenario, opened, thread=begun["id"], path="/a.md")
    assert nested.error == placed.error == "validation.malformed"
    other = scenario.propose({"/b.md": "b\n"})
    assert say(apis.author, scenario, other, thread=begun["id"]).error == "memory.not_found"


def test_P6_threads_are_resolved_and_opened_again(scenario, opened, apis):
    begun = say(apis.reviewer, scenario, opened).ok(201)
    reply = say(apis.author, scenario, opened, thread=begun["id"]).ok(201)
    settle = at(scenario, opened, begun, "settle")

    first = apis.author.post(settle, {"resolved": True}, key=None).ok()
    again = apis.reviewer.post(settle, {"resolved": True}, key=None).ok()
    assert first["resolved"] == again["resolved"] is not None
    assert apis.author.get(scenario.path(opened)).ok()["unresolved_threads"] == 0
    reopened = apis.reviewer.post(settle, {"resolved": False}, key=None).ok()
    assert reopened["resolved"] is None
    of_reply = apis.author.post(at(scenario, opened, reply, "settle"), {"resolved": True}, key=None)
    assert of_reply.error == "validation.malformed"
    events = AuditEntry.objects.filter(event__startswith="proposal.comment")
    assert list(events.order_by("id").values_list("event", flat=True)) == [
        *("proposal.commented", "proposal.commented"),
        *("proposal.comment_resolved", "proposal.comment_unresolved"),
    ]


def test_P6_an_edit_is_marked_and_one_of_the_same_words_is_none(scenario, opened, apis):
    made = say(apis.reviewer, scenario, opened).ok(201)
    address = at(scenario, opened, made)

    assert apis.reviewer.patch(address, {"text": "Why?"}).ok()["edited_at"] is None
    edited = apis.reviewer.patch(address, {"text": "Why so?"}).ok()
    assert (edited["text"], edited["edited_at"] is None) == ("Why so?", False)
    assert apis.author.patch(address, {"text": "Mine"}).error == "policy.denied"


def test_P6_a_deleted_comment_leaves_a_mark_and_its_replies(scenario, opened, apis):
    begun = say(apis.reviewer, scenario, opened, path="/a.md", line=1, key="once").ok(201)
    reply = say(apis.author, scenario, opened, "Because.", thread=begun["id"]).ok(201)
    address = at(scenario, opened, begun)

    assert apis.author.delete(address, key=None).error == "policy.denied"
    for _ in range(2):
        apis.reviewer.delete(address, key=None).ok(204)

    mark = apis.author.get(address).ok()
    assert (mark["text"], mark["deleted_at"] is None, mark["line"]) == (None, False, 1)
    assert told(apis.author, scenario, opened)[0] == reply
    assert apis.reviewer.patch(address, {"text": "Back"}).error == "memory.conflict"
    replayed = say(apis.reviewer, scenario, opened, path="/a.md", line=1, key="once")
    assert replayed.error == "memory.conflict"
    assert IdempotencyReceipt.objects.get(key="once").fingerprint is None


def test_P6_a_comment_is_made_once_however_often_it_is_sent(scenario, opened, apis):
    first = say(apis.reviewer, scenario, opened, key="once")
    again = say(apis.reviewer, scenario, opened, key="once")
    other = say(apis.reviewer, scenario, opened, "Else", key="once")

    assert again.ok(201) == first.ok(201)
    assert again.headers["Checkfu-Replayed"] == "true"
    assert other.error == "memory.conflict"
    assert say(apis.reviewer, scenario, opened, key=None).error == "validation.malformed"


def test_P6_who_may_comment_and_who_may_look(scenario, opened):
    outsider, reader = scenario.person("Out"), scenario.person("Reader", "read")
    blind = scenario.person("Blind", "write", "review")
    address = scenario.path(opened, "comments")

    assert scenario.api(outsider).get(address).error == "memory.not_found"
    assert scenario.api(reader).get(address).ok()["data"] == []
    assert say(scenario.api(outsider), scenario, opened).error == "memory.not_found"
    denied = say(scenario.api(reader), scenario, opened)
    assert denied.error == "policy.denied"
    assert "`review` or `write`" in denied.message
    assert say(scenario.api(blind), scenario, opened).error == "memory.not_found"
    admin = Api(make_admin_key(scenario.workspace)[1])
    assert say(admin, scenario, opened).error == admin.get(address).error == "policy.denied"
    other = scenario.path(random_id("proposal"), "comments")
    assert scenario.api(reader).get(other).error == "memory.not_found"


def test_P6_a_resolved_proposal_is_still_talked_about_and_an_archived_store_is_not(
    scenario, opened, apis
):
    scenario.reject(opened)
    made = say(apis.author, scenario, opened, path="/a.md", line=1).ok(201)
    scenario.archive()

    assert say(apis.author, scenario, opened).error == "memory.read_only"
    assert apis.author.get(at(scenario, opened, made)).ok() == made


def test_P6_comments_of_a_reproposed_change_stay_with_their_head(scenario, opened, apis):
    made = say(apis.reviewer, scenario, opened, path="/a.md", line=1).ok(201)
    scenario.write({"/else.md": "else\n"})
    new = scenario.repropose(opened).proposal_id

    assert told(apis.author, scenario, opened) == [made]
    assert told(apis.author, scenario, new) == []


def test_P6_a_redaction_of_a_path_takes_the_comments_of_what_touched_it(scenario, opened, apis):
    begun = say(apis.reviewer, scenario, opened, "secret", path="/a.md", line=1, key="once").ok(201)
    say(apis.author, scenario, opened, "secret too", thread=begun["id"]).ok(201)
    other = scenario.propose({"/b.md": "b\n"})
    kept = say(apis.reviewer, scenario, other, "kept").ok(201)

    erase(scenario, "/a.md")

    shown = told(apis.author, scenario, opened)
    assert [(row["text"], row["erased"]["reason"]) for row in shown] == [(None, "redacted")] * 2
    assert (shown[1]["path"], shown[1]["line"]) == ("/a.md", 1)
    assert told(apis.author, scenario, other) == [kept]
    assert say(apis.reviewer, scenario, opened).error == "memory.conflict"
    assert say(apis.reviewer, scenario, opened, "secret", key="once").error == "memory.conflict"
    assert IdempotencyReceipt.objects.get(key="once").fingerprint is None


def test_P6_a_proposal_takes_no_comment_beyond_the_most(scenario, opened, apis, monkeypatch):
    monkeypatch.setattr(comments, "MOST", 1)
    say(apis.reviewer, scenario, opened).ok(201)
    assert say(apis.reviewer, scenario, opened).error == "validation.range_too_large"


@pytest.mark.parametrize(
    "change",
    [{"line": 2}, {"path": "/new.md"}, {"author_uuid": random_id("principal")}, {"text": ""}],
)
def test_P6_the_database_keeps_comments_where_they_are(scenario, opened, apis, change):
    say(apis.reviewer, scenario, opened, path="/a.md", line=1).ok(201)
    with pytest.raises(IntegrityError), transaction.atomic():
        Comment.objects.update(**change)
    with pytest.raises(IntegrityError), transaction.atomic():
        Comment.objects.all().delete()


@pytest.mark.django_db(transaction=True)
def test_P6_a_comment_and_a_redaction_at_once_leave_no_words(scenario, opened):
    access = scenario.access(scenario.reviewer)
    said = NewComment("secret")

    race(
        lambda: add_comment(access=access, proposal_id=opened, comment=said),
        lambda: erase(scenario, "/a.md"),
    )

    assert not Comment.objects.filter(text="secret").exists()
