"""A store's review rules as its settings show and change them."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from console.forms.base import ConsoleForm
from console.forms.review_rules import AddRuleForm, MinimumForm, RemoveRuleForm
from console.naming import Named, Names
from console.people import ConsoleRequest
from memory.access import StoreAccess
from memory.reviewrules import ReviewRule, rules_of
from proposals.decisions.tally import Holder, HolderKind
from proposals.queries.holders import holders_on
from tenancy.models import Permission
from wire.ids import uuid_from_id


@dataclass(frozen=True, slots=True)
class ShownReviewer:
    """Somebody whom a rule names, and whether their approval would count."""

    named: Named
    may_review: bool


@dataclass(frozen=True, slots=True)
class ShownRule:
    """A review rule and its reviewers.

    Attributes:
        place: among the store's rules, from 0.
    """

    place: int
    rule: ReviewRule
    reviewers: tuple[ShownReviewer, ...]
    able: int

    @property
    def is_satisfiable(self) -> bool:
        """Whether there are enough who could approve."""
        return self.rule.approvals <= self.able


class ReviewRulesSection:
    """The forms and rows of a store's rules; a form is bound when its button was pressed.

    Args:
        sent: which form was sent, if one of these.
    """

    def __init__(self, request: ConsoleRequest, access: StoreAccess, sent: str) -> None:
        self.rules = rules_of(access.store)
        self.reviewers = _reviewers_of(access)
        version = {"version": access.store.version}
        minimum = version | {"minimum_approvals": access.store.minimum_approvals}
        self.minimum = MinimumForm(
            request.POST if sent == "minimum" else None, initial=minimum, auto_id="minimum_%s"
        )
        self.adding = AddRuleForm(
            request.POST if sent == "add-rule" else None,
            initial=version,
            rules=self.rules,
            reviewers=[(each.id, each.name) for each in self.reviewers],
            preview=reverse("console:store-rule-matches", args=[access.store_id]),
            auto_id="rule_%s",
        )
        self.removing = RemoveRuleForm(
            request.POST if sent == "remove-rule" else None, rules=self.rules
        )
        self.workspace_id = access.caller.workspace_id
        self.minimum_approvals = access.store.minimum_approvals

    @property
    def forms(self) -> tuple[ConsoleForm, ...]:
        """Those that change something when they are sent."""
        return (self.minimum, self.adding, self.removing)

    @property
    def is_minimum_satisfiable(self) -> bool:
        """Whether enough people hold review for what every Proposal needs."""
        return self.minimum_approvals <= len(self.reviewers)

    def rows(self) -> list[ShownRule]:
        """The rules in their order. One query for the names."""
        named = {reviewer for rule in self.rules for reviewer in rule.reviewers}
        references: Any = [("principal", uuid_from_id(each)) for each in named]
        names = Names(self.workspace_id, references)
        return [self._row(place, rule, names) for place, rule in enumerate(self.rules)]

    def _row(self, place: int, rule: ReviewRule, names: Names) -> ShownRule:
        may_review = {holder.id for holder in self.reviewers}
        shown = tuple(
            ShownReviewer(names.of("principal", uuid_from_id(each)), each in may_review)
            for each in rule.reviewers
        )
        able = sum(each.may_review for each in shown) if shown else len(self.reviewers)
        return ShownRule(place, rule, shown, able)


def _reviewers_of(access: StoreAccess) -> list[Holder]:
    """The people who hold review on a store, by name."""
    holders = holders_on(access.caller.workspace_id, [access.store_id]).get(access.store_id, [])
    people = [
        holder
        for holder in holders
        if holder.kind == HolderKind.PERSON and holder.may(Permission.REVIEW)
    ]
    return sorted(people, key=lambda holder: (holder.name, holder.id))
