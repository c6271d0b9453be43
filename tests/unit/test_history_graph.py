"""The lines between versions: columns, where they join, and going on behind a page."""

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from console.history.drawing import draw
from console.history.graph import COLUMNS, Dot, Graph


def _id(number: int) -> str:
    return f"memver_{number:032x}"


def _walk(parents: dict[int, int | None], canonical: set[int], state: str = "") -> list[Dot]:
    graph = Graph(state)
    return [
        graph.place(_id(one), None if up is None else _id(up), on_canonical=one in canonical)
        for one, up in sorted(parents.items(), reverse=True)
    ]


def test_canonical_is_one_straight_line():
    dots = _walk({2: 1, 1: 0, 0: None}, {0, 1, 2})
    assert dots == [
        Dot(0, goes_on=True),
        Dot(0, from_above=True, goes_on=True),
        Dot(0, from_above=True),
    ]


def test_a_branch_joins_the_version_it_was_made_from():
    #  3 (branch of 1), 2 and 1 on canonical
    dots = _walk({3: 1, 2: 1, 1: None}, {1, 2})
    assert dots[0] == Dot(1, goes_on=True)
    assert dots[1] == Dot(0, passing=(1,), goes_on=True)
    assert dots[2] == Dot(0, from_above=True, joining=(1,))


def test_a_branch_of_several_versions_keeps_its_column():
    dots = _walk({4: 3, 3: 1, 2: 1, 1: None}, {1, 2})
    assert [dot.column for dot in dots] == [1, 1, 0, 0]
    assert dots[1].from_above


def test_a_column_is_used_again_once_its_line_has_joined():
    dots = _walk({5: 3, 4: 3, 3: 1, 2: 1, 1: None}, {1, 3})
    assert [dot.column for dot in dots] == [1, 2, 0, 1, 0]


def test_more_branches_than_columns_get_a_dot_and_no_line():
    tips = dict.fromkeys(range(2, 2 + COLUMNS + 3), 1)
    dots = _walk({**tips, 1: None}, {1})
    assert [dot.column for dot in dots[:COLUMNS]] == [1, 2, 3, 4, 5, COLUMNS]
    assert all(not dot.goes_on for dot in dots[COLUMNS - 1 : -1])
    assert dots[-1].joining == (1, 2, 3, 4, 5)


def test_what_no_graph_made_begins_anew():
    for state in ("x", "0" * 13, "memver", "a,b", "1" * 12 + ";"):
        assert Graph(state).state == ""
    assert len(Graph(",".join(["a" * 12] * 99)).state.split(",")) == COLUMNS


@given(st.data())
def test_a_page_goes_on_where_the_one_before_ended(data):
    parents: dict[int, int | None] = {0: None}
    for number in range(1, data.draw(st.integers(2, 25))):
        parents[number] = data.draw(st.integers(0, number - 1))
    canonical, at = set(), data.draw(st.sampled_from(sorted(parents)))
    while at is not None:
        canonical.add(at)
        at = parents[at]
    cut = data.draw(st.integers(1, len(parents) - 1))
    whole = Graph()
    order = sorted(parents, reverse=True)
    states, dots = [], []
    for one in order:
        up = parents[one]
        dots.append(
            whole.place(_id(one), None if up is None else _id(up), on_canonical=one in canonical)
        )
        states.append(whole.state)
    second = {one: parents[one] for one in order[cut:]}

    assert _walk(second, canonical, states[cut - 1]) == dots[cut:]
    for above, below in pairwise(dots):
        leaving = {*above.passing, *([above.column] if above.goes_on else [])}
        arriving = {*below.passing, *below.joining, *([below.column] if below.from_above else [])}
        assert leaving == arriving
    assert all(dot.column == 0 for one, dot in zip(order, dots, strict=True) if one in canonical)


def test_the_drawing_needs_no_style():
    drawn = draw(Dot(1, passing=(2,), from_above=True, joining=(3,), goes_on=True), 4)
    assert drawn.count("<line") == 4
    assert drawn.count("<circle") == 1
    assert "style" not in drawn
    assert 'aria-hidden="true"' in drawn
    assert all(int(x) >= 0 for x in re.findall(r'x[12]="(\d+)"', drawn))
