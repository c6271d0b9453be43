"""Two people approve, and somebody sets a rule, in a real browser with and without scripts."""

import pytest
from playwright.sync_api import expect

from memory.models import MemoryStore
from memory.queries.versions import canonical_id
from memory.reviewrules import ReviewRule, rules_of
from proposals.models import Proposal
from tests.browser.conftest import Open
from tests.browser.world import World, propose

both = pytest.mark.parametrize("scripts", [True, False], ids=["with-scripts", "without-scripts"])


@both
def test_two_people_approve(world: World, open_as: Open, scripts: bool) -> None:
    before = canonical_id(world.ruled)
    opened = propose(world.author, world.ruled, "Two of us", {"/notes/two.md": "# Two\n"})
    address = f"/proposals/{opened}"
    first = open_as("reviewer", java_script_enabled=scripts).new_page()
    first.goto(address)
    expect(first.locator("#rules-panel")).to_contain_text("This store wants 2 approvals")

    first.click("#approve summary")
    expect(first.locator("#approve form")).to_contain_text("Your approval is 1 of 2.")
    first.fill("#note-approve", "One of us.")
    first.click("#approve button.good")

    expect(first.locator("#notices")).to_contain_text("Your approval is kept")
    expect(first.locator(".timeline")).to_contain_text("One of us.")
    assert canonical_id(world.ruled) == before
    first.get_by_role("button", name="Withdraw approval").click()
    expect(first.locator("#notices")).to_contain_text("withdrawn")
    first.click("#approve summary")
    first.click("#approve button.good")
    expect(first.locator(".decision")).to_contain_text("You approved it")

    second = open_as("admin", java_script_enabled=scripts).new_page()
    second.goto(address)
    expect(second.locator("#rules-panel")).to_contain_text("Approved: Robin Reviewer")
    second.click("#approve summary")
    expect(second.locator("#approve form")).to_contain_text("becomes exactly")
    second.click("#approve button.good")
    expect(second.locator("#notices")).to_contain_text("exactly the reviewed head")
    assert canonical_id(world.ruled) == Proposal.objects.get(id=opened).head_id


@both
def test_a_rule_is_added_and_removed(world: World, open_as: Open, scripts: bool) -> None:
    before = rules_of(MemoryStore.objects.get(id=world.ruled))
    tab = open_as("admin", java_script_enabled=scripts).new_page()
    tab.goto(f"/stores/{world.ruled}/settings")

    tab.fill("#rule_paths", "/plans/**")
    if scripts:
        expect(tab.locator("#rule-matches")).to_contain_text("Matches no document")
    tab.get_by_label("Robin Reviewer").check()
    tab.get_by_role("button", name="Add the rule").click()

    expect(tab.locator(".review-rules li")).to_have_count(len(before) + 1)
    added = ReviewRule("/plans/**", 1, (world.reviewer.id,))
    assert rules_of(MemoryStore.objects.get(id=world.ruled)) == (*before, added)

    tab.get_by_role("button", name="Remove the rule for /plans/**").click()
    expect(tab.locator(".review-rules li")).to_have_count(len(before))
    assert rules_of(MemoryStore.objects.get(id=world.ruled)) == before


def test_a_page_that_is_open_notices_the_first_approval(world: World, open_as: Open) -> None:
    opened = propose(world.author, world.ruled, "Watch me", {"/notes/watch.md": "# Watch\n"})
    watching = open_as("admin").new_page()
    watching.goto(f"/proposals/{opened}")
    expect(watching.locator("#rules-panel")).to_contain_text("none given yet")

    other = open_as("reviewer").new_page()
    other.goto(f"/proposals/{opened}")
    other.click("#approve summary")
    other.click("#approve button.good")

    expect(watching.locator("#rules-panel")).to_contain_text("Approved: Robin Reviewer")
    watching.click("#approve summary")
    expect(watching.locator("#approve form")).to_contain_text("becomes exactly")
