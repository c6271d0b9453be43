"""Forms for how many approvals a store's Proposals need, and at which paths of whom."""

from typing import Any

from django import forms

from console.forms.base import ConsoleForm
from memory.documents.globs import parse_glob
from memory.documents.paths import PathError
from memory.reviewrules import MAX_APPROVALS, MAX_REVIEWERS, ReviewRule


def _approvals(label: str, **options: Any) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        min_value=1,
        max_value=MAX_APPROVALS,
        initial=1,
        widget=forms.NumberInput(attrs={"class": "short"}),
        **options,
    )


class _RulesForm(ConsoleForm):
    """A change of the rules, which goes through with the `version` that it was made from (M9).

    Args:
        rules: those that the store has now.
    """

    version = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, rules: tuple[ReviewRule, ...] = (), **options: Any) -> None:
        super().__init__(*args, **options)
        self.rules = rules


class MinimumForm(_RulesForm):
    """How many approvals every Proposal needs."""

    minimum_approvals = _approvals(
        "Approvals that every Proposal needs",
        help_text="From different people, each with review on this store.",
    )


class AddRuleForm(_RulesForm):
    """A new rule, behind the others.

    Args:
        reviewers: choices of the people who hold review.
        preview: the address that tells which documents a glob matches, while it is typed.
    """

    paths = forms.CharField(
        label="Paths",
        strip=False,
        widget=forms.TextInput(
            attrs={"class": "mono", "placeholder": "/guides/**", "autocomplete": "off"}
        ),
        help_text=(
            "* and ? stand for characters of one name, ** for any number of directories:"
            " /guides/** is everything below it, /**/*.md every Markdown document."
        ),
    )
    approvals = _approvals("Approvals")
    reviewers = forms.MultipleChoiceField(
        label="Of whom",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Any of those that are ticked; nobody ticked is anybody who may review.",
    )

    def __init__(
        self, *args: Any, reviewers: list[tuple[str, str]], preview: str, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.fields["paths"].widget.attrs |= {
            "hx-get": preview,
            "hx-trigger": "input changed delay:250ms",
            "hx-target": "#rule-matches",
        }
        self.fields["reviewers"].choices = reviewers  # type: ignore[attr-defined]
        if not reviewers:
            del self.fields["reviewers"]

    def clean_paths(self) -> str:
        try:
            return parse_glob(self.cleaned_data["paths"])
        except PathError as error:
            raise forms.ValidationError(f"{str(error).capitalize()}.") from error

    def clean_reviewers(self) -> tuple[str, ...]:
        chosen = tuple(self.cleaned_data["reviewers"])
        if len(chosen) > MAX_REVIEWERS:
            raise forms.ValidationError(f"At most {MAX_REVIEWERS}.")
        return chosen

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        if self.errors:
            return values
        reviewers = values.get("reviewers", ())
        if reviewers and values["approvals"] > len(reviewers):
            self.add_error("approvals", "More than those who are ticked.")
            return values
        rule = ReviewRule(values["paths"], values["approvals"], reviewers)
        return {"version": values["version"], "review_rules": (*self.rules, rule)}


class RemoveRuleForm(_RulesForm):
    """Take one rule away; `place` counts from 0."""

    place = forms.IntegerField(min_value=0)

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        if self.errors:
            return values
        place = values["place"]
        left = (*self.rules[:place], *self.rules[place + 1 :])
        return {"version": values["version"], "review_rules": left}
