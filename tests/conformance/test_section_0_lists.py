"""Contract §0 "Lists": keyset paging that skips and repeats nothing while rows are inserted."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from tenancy.models import Workspace
from tests.client import Api
from tests.factories import (
    grant,
    make_admin_key,
    make_agent,
    make_key,
    make_person,
    make_service,
    make_workspace,
)

pytestmark = pytest.mark.django_db


def _grant_to_somebody(workspace: Workspace) -> object:
    return grant(make_person(workspace), workspace, "read")


MAKERS: dict[str, Callable[[Workspace], object]] = {
    "principals": make_service,
    "agents": make_agent,
    "api-keys": make_key,
    "permission-assignments": _grant_to_somebody,
    "audit-entries": make_agent,
}


@pytest.fixture(params=MAKERS)
def noun(request):
    return request.param


def test_pages_follow_each_other_without_gap_or_repetition(admin_api, workspace, noun):
    for _ in range(7):
        MAKERS[noun](workspace)
    whole = admin_api.get(f"/v1/{noun}", {"limit": 200}).ok()

    paged = admin_api.pages(f"/v1/{noun}", {"limit": 3})

    assert whole["next_page"] is None
    assert len(whole["data"]) >= 7
    assert paged == whole["data"]


def test_rows_inserted_while_paging_neither_hide_nor_repeat_any(admin_api, workspace, noun):
    for _ in range(7):
        MAKERS[noun](workspace)
    before = admin_api.get(f"/v1/{noun}", {"limit": 200}).ok()["data"]

    seen: list[Any] = []
    page: str | None = None
    while page or not seen:
        found = admin_api.get(f"/v1/{noun}", {"limit": 2} | ({"page": page} if page else {})).ok()
        seen += found["data"]
        page = found["next_page"]
        MAKERS[noun](workspace)

    assert seen == before


def test_a_page_that_ends_exactly_with_the_last_row_is_the_last(admin_api, workspace, noun):
    MAKERS[noun](workspace)
    rows = admin_api.get(f"/v1/{noun}").ok()["data"]

    found = admin_api.get(f"/v1/{noun}", {"limit": len(rows)}).ok()

    assert found == {"data": rows, "next_page": None}


def test_a_page_of_another_list_is_refused_or_empty(admin_api, workspace, noun):
    for _ in range(2):
        make_agent(workspace)
        make_service(workspace)
    foreign = "principals" if noun != "principals" else "agents"
    page = admin_api.get(f"/v1/{foreign}", {"limit": 1}).ok()["next_page"]

    answer = admin_api.get(f"/v1/{noun}", {"page": page})

    assert (answer.status, answer.error) == (400, "validation.malformed")


@pytest.mark.parametrize("position", [2**63, 2**64 - 1, 2**70, -1, True, 1.5, "1", None])
def test_a_made_up_page_is_no_500(admin_api, noun, position):
    page = base64.urlsafe_b64encode(json.dumps([position]).encode()).decode()

    assert admin_api.get(f"/v1/{noun}", {"page": page}).status in {200, 400}


def test_fifty_rows_are_shown_unless_asked_otherwise(admin_api, workspace):
    for _ in range(51):
        make_agent(workspace)

    found = admin_api.get("/v1/agents").ok()

    assert len(found["data"]) == 50
    assert found["next_page"]


def test_lists_are_of_the_callers_workspace(admin_api, workspace, noun):
    other = make_workspace()
    MAKERS[noun](other)
    theirs = Api(make_admin_key(other)[1]).get(f"/v1/{noun}").ok()["data"]

    ours = admin_api.get(f"/v1/{noun}").ok()["data"]

    assert not [row for row in theirs if row in ours]


def test_assignments_are_found_by_subject_and_by_target(admin_api, workspace):
    reader, agent = make_person(workspace), make_agent(workspace)
    on_workspace = grant(reader, workspace, "read")
    on_agent = grant(reader, agent, "act_as")
    grant(make_person(workspace), workspace, "read")

    def ids(**query: str) -> set[str]:
        found = admin_api.get("/v1/permission-assignments", query).ok()["data"]
        return {row["id"] for row in found}

    assert ids(subject=reader.id) == {on_workspace.id, on_agent.id}
    assert ids(target=agent.id) == {on_agent.id}
    assert ids(subject=reader.id, target=workspace.id) == {on_workspace.id}
    assert ids(subject=agent.id) == set()


def test_the_audit_trail_is_found_by_target_and_by_event(admin_api, workspace):
    agent, other = make_agent(workspace), make_agent(workspace)

    by_target = admin_api.get("/v1/audit-entries", {"target": agent.id}).ok()["data"]
    by_event = admin_api.get("/v1/audit-entries", {"event": "agent.created"}).ok()["data"]

    assert [row["target"]["id"] for row in by_target] == [agent.id]
    assert {row["target"]["id"] for row in by_event} == {agent.id, other.id}
    assert by_target[0]["actor"] == {"kind": "platform", "id": None}
