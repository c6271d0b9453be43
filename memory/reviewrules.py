"""Review rules: how many approvals a Proposal to a store needs, and at which paths of whom.

They are settings of the store (contract §0): kept in its row, so that whoever decides by them and
whoever changes them are ordered by that row's lock and its `version`.
"""

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

from memory.documents.globs import matcher
from memory.models import MemoryStore
from tenancy.models import Principal
from wire.errors import Malformed, name_some

MAX_RULES: Final = 32
MAX_APPROVALS: Final = 10
MAX_REVIEWERS: Final = 20


@dataclass(frozen=True, slots=True)
class ReviewRule:
    """What an approval of a change at some paths needs beside the store's minimum.

    Attributes:
        paths: a glob; see `memory.documents.globs`.
        approvals: how many.
        reviewers: the principals of whom they have to come, any of them; nobody named is
            anybody who may review.
    """

    paths: str
    approvals: int = 1
    reviewers: tuple[str, ...] = ()

    @classmethod
    def of(cls, stored: Any) -> Self:
        """The rule that `stored` spelled."""
        return cls(stored["paths"], stored["approvals"], tuple(stored["reviewers"]))

    def stored(self) -> dict[str, Any]:
        """The rule as the store's row has it."""
        return asdict(self)

    def applies_to(self, paths: Iterable[str]) -> bool:
        """Whether one of some changed paths matches."""
        return any(map(matcher(self.paths), paths))


def rules_of(store: MemoryStore) -> tuple[ReviewRule, ...]:
    """The rules of a store, in their order."""
    return tuple(map(ReviewRule.of, store.review_rules))


def require_reviewers(workspace_id: str, rules: Collection[ReviewRule]) -> None:
    """Refuse rules that nobody could ever satisfy, whatever is granted.

    Whom they name need not hold `review` now: grants come and go, and pages tell who lacks it.

    Raises:
        Malformed: more than MAX_RULES, more approvals than reviewers, or a reviewer who is no
            person of this Workspace.
    """
    if len(rules) > MAX_RULES:
        raise Malformed(f"rules: a store has at most {MAX_RULES}.")
    for place, rule in enumerate(rules):
        if rule.reviewers and rule.approvals > len(set(rule.reviewers)):
            raise Malformed(f"rules[{place}].approvals: more than the reviewers that it names.")
    named = {reviewer for rule in rules for reviewer in rule.reviewers}
    people = Principal.objects.filter(
        id__in=named, workspace=workspace_id, kind=Principal.Kind.PERSON
    )
    strangers = named - set(people.values_list("id", flat=True))
    if strangers:
        named_so = name_some(sorted(strangers))
        raise Malformed(f"rules: only people of this Workspace approve, not {named_so}.")
