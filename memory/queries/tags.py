"""The names that people gave to versions."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from django.db import models
from django.db.models import QuerySet

from memory.models import Tag
from memory.publication import Held


def tags_of(store_id: str) -> QuerySet[Tag]:
    """A store's tags, newest first."""
    return Tag.objects.filter(store=store_id).order_by("-id")


def tags_at(version_ids: Collection[str]) -> Mapping[str, list[Tag]]:
    """The tags of each of some versions, oldest first. One query."""
    found: defaultdict[str, list[Tag]] = defaultdict(list)
    tags = Tag.objects.filter(version__in=list(version_ids)).order_by("id")
    for tag in tags.fetch_mode(models.FETCH_RAISE):
        found[tag.version_id].append(tag)
    return found


def tags_held(tags: Collection[Tag]) -> Held:
    """The names that an answer holds, for the publication recheck (contract R5)."""
    shown: Sequence[int] = [tag.id for tag in tags]
    return Held(Tag.objects.filter(id__in=shown), len(shown))
