"""Forms about the versions of a store: finding one, and giving one a name."""

from typing import Any

from django import forms

from console.forms.base import ConsoleForm, NameField
from memory.models import VersionKind

KINDS = [
    (VersionKind.DIRECT, "Direct write"),
    (VersionKind.SESSION_CHECKPOINT, "Session checkpoint"),
    (VersionKind.PROPOSAL, "Proposal"),
    (VersionKind.CURATION, "Curation"),
    (VersionKind.REDACTION, "Redaction"),
    (VersionKind.IMPORT, "Import"),
    (VersionKind.INITIAL, "Initial"),
]


class VersionSearchForm(ConsoleForm):
    """What to search the versions of a store by.

    Args:
        authors: who made versions of the store.
    """

    words = forms.CharField(
        label="Message, tag or ID",
        required=False,
        widget=forms.TextInput(attrs={"type": "search", "class": "input"}),
    )
    path = forms.CharField(
        label="Changed path",
        required=False,
        widget=forms.TextInput(attrs={"type": "search", "class": "input mono"}),
    )
    author = forms.ChoiceField(
        label="Author", required=False, widget=forms.Select(attrs={"class": "input"})
    )
    since = forms.DateField(
        label="From",
        required=False,
        widget=forms.DateInput(attrs={"type": "date", "class": "input"}),
    )
    until = forms.DateField(
        label="To", required=False, widget=forms.DateInput(attrs={"type": "date", "class": "input"})
    )

    def __init__(self, *args: Any, authors: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["author"].choices = [("", "Anybody"), *authors]  # type: ignore[attr-defined]

    def clean(self) -> None:
        since, until = (self.cleaned_data.get(name) for name in ("since", "until"))
        if since and until and since > until:
            self.add_error("until", "This is before the first day.")


class HistoryForm(VersionSearchForm):
    """The filters of a store's history, which stand in its address."""

    kind = forms.ChoiceField(
        label="Kind",
        required=False,
        choices=[("", "Any"), *KINDS],
        widget=forms.Select(attrs={"class": "input"}),
    )
    field_order = ("words", "path", "author", "kind", "since", "until")


class TagForm(ConsoleForm):
    """A name for a version. Sent twice it is the same name, so it needs no token."""

    name = NameField(
        label="Tag",
        help_text="Unlike every other tag of the store. It never moves.",
    )
