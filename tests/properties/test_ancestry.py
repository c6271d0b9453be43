"""Ancestors by far pointers against walking from parent to parent (memory/versions/ancestry.py)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.models import ActorKind, MemoryVersion, VersionKind
from memory.versions.ancestry import is_ancestor, jump_from
from wire.ids import new_id
from wire.times import now

shapes = st.lists(st.integers(0, 10_000), max_size=40).map(
    lambda choices: [choice % (index + 1) for index, choice in enumerate(choices)]
)
"""The parent of each version after the first, by number: any tree, in the order of sealing."""

long_lines = st.lists(st.sampled_from((1, 1, 1, 1, 2, 7)), min_size=200, max_size=600).map(
    lambda steps: [max(0, index + 1 - step) for index, step in enumerate(steps)]
)
"""Long lines with a branch now and then."""


def versions_of(shape: list[int], **columns: object) -> list[MemoryVersion]:
    """Unsaved versions of that shape, with the pointers that sealing would give them."""
    versions = [_version(None, **columns)]
    for parent in shape:
        versions.append(_version(versions[parent], **columns))
    return versions


def _version(parent: MemoryVersion | None, **columns: object) -> MemoryVersion:
    return MemoryVersion(
        id=new_id("version"),
        parent=parent,
        jump=jump_from(parent) if parent else None,
        depth=parent.depth + 1 if parent else 0,
        **columns,
    )


def line(version: MemoryVersion | None) -> list[MemoryVersion]:
    """A version and its parents, the naive way."""
    found = []
    while version is not None:
        found.append(version)
        version = version.parent
    return found


def climb(version: MemoryVersion, depth: int) -> tuple[MemoryVersion, int]:
    """The ancestor at a depth by far pointers, as the query climbs, and the hops it took."""
    hops = 0
    while version.depth > depth:
        far = version.jump
        above = far if far is not None and far.depth >= depth else version.parent
        assert above is not None
        version = above
        hops += 1
    return version, hops


@given(shapes | long_lines, st.data())
def test_climbing_finds_the_ancestor_in_logarithmically_many_hops(shape, data):
    versions = versions_of(shape)
    version = data.draw(st.sampled_from(versions[-20:]))
    depth = data.draw(st.integers(0, version.depth))
    found, hops = climb(version, depth)
    assert found is line(version)[version.depth - depth]
    assert hops <= 3 * version.depth.bit_length()


@pytest.mark.django_db
@given(shape=shapes)
def test_the_query_agrees_with_walking_the_parents(shape, some_store):
    versions = versions_of(
        shape,
        store=some_store,
        kind=VersionKind.INITIAL,
        actor_kind=ActorKind.PLATFORM,
        actor_operation="import",
        document_count=0,
        total_bytes=0,
        tree_hash=bytes(32),
        created_at=now(),
    )
    MemoryVersion.objects.bulk_create(versions)
    for version in versions[-5:]:
        parents = {above.id for above in line(version)}
        assert {each.id for each in versions if is_ancestor(each.id, version.id)} == parents


@pytest.mark.django_db
def test_a_version_that_is_not_there_has_no_ancestors(some_store):
    assert not is_ancestor(new_id("version"), new_id("version"))
