"""Contract S1, S2, S3: the whole decision table. docs/sessions.md holds it; the code must agree."""

import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import pytest

from memory.models import Lifecycle, OwnerKind
from sessions.models import SHARED_PLACES, Access, Place, SelectionKind
from sessions.mounts.refusals import REASONS, refusal_of
from sessions.mounts.resolver import NOTHING_LEFT, MountFacts, Reason, Refusal, Resolution, resolve
from sessions.mounts.selections import Selection

PAGE = (Path(__file__).parents[2] / "docs/sessions.md").read_text()

GRANTS = [
    frozenset[str](),
    frozenset({"read"}),
    frozenset({"write"}),
    frozenset({"read", "write"}),
    frozenset({"act_as", "admin", "review"}),
]
CANONICAL, SELECTED, ELSEWHERE = "memver_canonical", "memver_selected", "memver_elsewhere"
EXACT = Selection(SelectionKind.VERSION, SELECTED)
NAMED = Selection(SelectionKind.PROPOSAL, "mprop_1")

type Row = Mapping[str, str]


def table(*columns: str) -> list[Row]:
    """The rows of the page's table with these columns."""
    head = "| " + " | ".join(columns) + " |\n"
    _, _, rest = PAGE.partition(head)
    rows = re.match(r"(?:\|.*\|\n)+", rest)
    assert rows, head
    cells = [line.strip("|\n").split("|") for line in rows[0].split("\n")[1:-1]]
    return [dict(zip(columns, (cell.strip() for cell in row), strict=True)) for row in cells]


ACCESS = table(
    "lifecycle",
    "agent holds",
    "principal may act",
    "principal holds",
    "asked for",
    "owner",
    "place",
    "comes to",
)
REFUSALS = table(
    "comes to",
    "lifecycle",
    "asked for",
    "selection",
    "native writer",
    "selected version",
    "working ref",
    "refused as",
)
VERSIONS = table("comes to", "refused", "selection", "working ref", "reads")


def combinations() -> Iterator[tuple[MountFacts, Place]]:
    """Everything that access depends on, in every combination."""
    for lifecycle, owner, place, requested, principal, agent, may_act in product(
        Lifecycle,
        OwnerKind,
        Place,
        [Access.READ_ONLY, Access.READ_WRITE],
        GRANTS,
        GRANTS,
        [True, False],
    ):
        yield (
            MountFacts(
                store_id="memstore_1",
                owner_kind=owner,
                lifecycle=lifecycle,
                requested=requested,
                principal=principal,
                agent=agent,
                may_act=may_act,
                in_shared_place=place in SHARED_PLACES,
                has_native_writer=False,
                canonical=CANONICAL,
            ),
            place,
        )


def selecting() -> Iterator[MountFacts]:
    """Everything that refusals and versions depend on beside grants, in every combination."""
    both = frozenset({"read", "write"})
    for lifecycle, owner, requested, agent, selection, native, found, working in product(
        [Lifecycle.ACTIVE, Lifecycle.ARCHIVED],
        [OwnerKind.PRINCIPAL, OwnerKind.SESSION, OwnerKind.WORKSPACE],
        [Access.READ_ONLY, Access.READ_WRITE],
        [both, frozenset[str]()],
        [None, EXACT, NAMED],
        [True, False],
        [True, False],
        [None, SELECTED, ELSEWHERE],
    ):
        yield MountFacts(
            store_id="memstore_1",
            owner_kind=owner,
            lifecycle=lifecycle,
            requested=requested,
            principal=both,
            agent=agent,
            may_act=True,
            in_shared_place=False,
            has_native_writer=native,
            canonical=CANONICAL,
            working_ref=working,
            selection=selection,
            selected=SELECTED if selection and found else None,
        )


def fits(cell: str, value: str | frozenset[str]) -> bool:
    """Whether a cell of the table fits a value."""
    if isinstance(value, frozenset):
        wanted = cell.removeprefix("not ")
        if wanted == "write":  # the contract: a check of write also needs read
            return not {"read", "write"} <= value
        return wanted not in value
    return value in cell.split(", ")


def decide(rows: list[Row], facts: Mapping[str, str | frozenset[str]]) -> tuple[int, Row]:
    """The first row that fits."""
    for number, row in enumerate(rows):
        if all(not row[name] or fits(row[name], value) for name, value in facts.items()):
            return number, row
    raise AssertionError(facts)


def test_S2_every_combination_comes_to_what_the_table_says():
    used = set()
    for facts, place in combinations():
        number, row = decide(
            ACCESS,
            {
                "lifecycle": facts.lifecycle,
                "agent holds": facts.agent,
                "principal may act": "yes" if facts.may_act else "no",
                "principal holds": facts.principal,
                "asked for": facts.requested,
                "owner": facts.owner_kind,
                "place": place,
            },
        )
        used.add(number)
        assert resolve(facts).effective == row["comes to"], (facts, place)
    assert used == set(range(len(ACCESS)))


def test_S3_every_refusal_is_the_one_that_the_table_says():
    used = set()
    for facts in selecting():
        resolution = resolve(facts)
        number, row = decide(REFUSALS, _refusal_columns(facts, resolution.effective))
        used.add(number)
        assert (resolution.refusal or "") == row["refused as"], facts
    assert used == set(range(len(REFUSALS)))


def _refusal_columns(facts: MountFacts, effective: Access) -> Mapping[str, str]:
    selection = "no" if facts.selection is None else "version"
    elsewhere = facts.working_ref not in {None, facts.selected}
    return {
        "comes to": effective,
        "lifecycle": facts.lifecycle,
        "asked for": facts.requested,
        "selection": "ref" if facts.selection == NAMED else selection,
        "native writer": "yes" if facts.has_native_writer else "no",
        "selected version": "there" if facts.selected else "missing",
        "working ref": "elsewhere" if elsewhere else "",
    }


def test_S3_every_mount_reads_the_version_that_the_table_says():
    used = set()
    for facts in selecting():
        resolution = resolve(facts)
        number, row = decide(
            VERSIONS,
            {
                "comes to": resolution.effective,
                "refused": "yes" if resolution.refusal else "no",
                "selection": "yes" if facts.selection else "no",
                "working ref": "yes" if facts.working_ref else "no",
            },
        )
        used.add(number)
        expected = {
            "nothing": None,
            "what is selected": facts.selected,
            "the working ref": facts.working_ref,
            "canonical": CANONICAL,
        }[row["reads"]]
        assert resolution.version == expected, facts
    assert used == set(range(len(VERSIONS)))


def test_S2_reasons_are_told_exactly_when_access_is_reduced():
    for facts, _ in combinations():
        resolution = resolve(facts)
        lost = any(reason in NOTHING_LEFT for reason in resolution.reasons)

        assert bool(resolution.reasons) == (resolution.effective != facts.requested), facts
        assert lost == (resolution.effective == Access.NONE), facts


def test_the_page_lists_every_reason_and_refusal_in_order():
    reasons = table("reason", "leaves")
    refusals = table("refusal", "error", "when")

    assert [row["reason"] for row in reasons] == list(Reason) == list(REASONS)
    assert [row["leaves"] for row in reasons] == [
        "none" if reason in NOTHING_LEFT else "read_only" for reason in Reason
    ]
    assert {row["refusal"] for row in refusals} == set(Refusal)


@pytest.mark.parametrize("row", table("refusal", "error", "when"), ids=lambda row: row["refusal"])
def test_each_refusal_answers_the_error_that_the_page_says(row):
    facts = next(facts for facts in selecting() if resolve(facts).refusal == row["refusal"])

    error = refusal_of(resolve(facts))

    assert error is not None
    assert f"{int(error.status)} `{error.type}`" == row["error"]
    assert "memstore_1" in error.message


def test_S3_a_working_ref_is_made_only_where_it_can_be_written():
    for facts in selecting():
        resolution = resolve(facts)
        expected = resolution.effective == Access.READ_WRITE and not facts.working_ref
        assert resolution.makes_working_ref == (expected and not resolution.refusal)


def test_an_unrefused_resolution_has_no_error():
    resolution = Resolution(next(selecting()), Access.READ_ONLY, (), CANONICAL, None)

    assert refusal_of(resolution) is None
