"""Forms for starting a Session: who takes part, and each store that it mounts."""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from django import forms
from django.urls import reverse

from console.forms.base import WORDS_LENGTH, ConsoleForm, LinesField, NameField
from memory.documents.paths import PathError, parse_path
from sessions.models import SHARED_PLACES, Access, Place, SelectionKind
from sessions.mounts.admission import NewMount
from sessions.mounts.selections import Selection
from sessions.queries.facts import Wish
from wire import ids
from wire.times import now

CURRENT: Final = "current"
"""The revision that selects nothing: the current state."""

PLACES = [
    (Place.PERSONAL, "Personal: you and the agent, nobody else"),
    (Place.DM, "Direct message: the same, where you write to it"),
    (Place.PRIVATE, "Private space: its members take part"),
    (Place.PUBLIC, "Public space: others may look on, too"),
]
REVISIONS = [
    (CURRENT, "Current state"),
    (SelectionKind.VERSION, "Exact version"),
    (SelectionKind.CANONICAL, "Canonical"),
    (SelectionKind.SESSION, "Working ref of a Session"),
    (SelectionKind.PROPOSAL, "Head of a Proposal"),
    (SelectionKind.CURATION, "Result of a curation run"),
]
OWNED: Final = (SelectionKind.SESSION, SelectionKind.PROPOSAL, SelectionKind.CURATION)
"""Refs that go by their owner's ID."""

READ_ONLY_BECAUSE: Final[Mapping[str, str]] = {
    "chosen": "Switched to read only, because an exact version is chosen.",
    "cleared": "Still read only: clearing the version does not give write access back. Choose"
    " “Read and write” if the agent is to write here.",
}
"""Why the form itself made a mount read only, while a version is chosen and afterwards."""


class SessionForm(ConsoleForm):
    """Who takes part, and where.

    Args:
        agents, environments, spaces: what there is to choose from.
    """

    token = forms.RegexField(r"^[0-9a-f]{32}$", widget=forms.HiddenInput)
    agent = forms.ChoiceField(label="Agent", help_text="It gets at most what you may do yourself.")
    environment = forms.ChoiceField(label="Environment", help_text="Where the agent runs.")
    place = forms.ChoiceField(
        label="Place",
        choices=PLACES,
        help_text="Where others take part, stores of one person are only read.",
    )
    space = forms.ChoiceField(label="Space", required=False)

    def __init__(
        self, *args: Any, agents: Any, environments: Any, spaces: Any, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        for name, choices in (("agent", agents), ("environment", environments), ("space", spaces)):
            self.fields[name].choices = [("", "Choose…"), *choices]  # type: ignore[attr-defined]
        for name in ("agent", "environment", "place", "space"):
            self.fields[name].widget.attrs["data-previews"] = True

    def clean(self) -> None:
        if self.cleaned_data.get("place") not in SHARED_PLACES:
            self.cleaned_data["space"] = None
            self.errors.pop("space", None)
        elif not self.cleaned_data.get("space"):
            self.add_error("space", "Choose the space in which it takes place.")


class MountForm(ConsoleForm):
    """One store of a new Session; its fields begin with the store's ID.

    `told` keeps that choosing a version made the mount read only.
    """

    access = forms.ChoiceField(
        label="Access",
        choices=[(Access.READ_ONLY, "Read only"), (Access.READ_WRITE, "Read and write")],
        initial=Access.READ_ONLY,
    )
    revision = forms.ChoiceField(label="Revision", choices=REVISIONS, initial=CURRENT)
    version = forms.CharField(required=False, widget=forms.HiddenInput)
    owner = forms.CharField(
        label="Whose ref", required=False, widget=forms.TextInput(attrs={"class": "mono"})
    )
    mount_path = forms.CharField(
        label="Mount path",
        required=False,
        help_text="Where the runtime shows it, e.g. /memory/team. Empty: the runtime decides.",
        widget=forms.TextInput(attrs={"class": "mono", "spellcheck": "false"}),
    )
    instructions = LinesField(
        label="Instructions",
        required=False,
        max_length=WORDS_LENGTH,
        help_text="Words for the agent about this store.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    told = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["access"].widget.attrs["data-previews"] = True
        self.fields["owner"].widget.attrs |= {
            "list": f"{self.prefix}-owners",
            "data-previews": True,
        }
        self.fields["revision"].widget.attrs |= _renews_form(str(self.prefix))

    @property
    def read_only_because(self) -> str:
        """Why it is read only now, if the form made it so."""
        told = self["told"].value()
        if not told or self["access"].value() != Access.READ_ONLY:
            return ""
        return READ_ONLY_BECAUSE["chosen" if self.wants_version and self.picks else "cleared"]

    @property
    def picks(self) -> str | None:
        """The exact version that is chosen; None when there is none."""
        try:
            return ids.parse_id("version", self["version"].value())
        except ids.MalformedId:
            return None

    @property
    def wants_version(self) -> bool:
        """Whether an exact version is to be chosen, or was."""
        return bool(self["revision"].value() == SelectionKind.VERSION)

    @property
    def is_opened(self) -> bool:
        """Whether the fields that few need are shown."""
        names = ("mount_path", "instructions")
        return any(self[name].value() or name in self.errors for name in names)

    def clean_mount_path(self) -> str:
        path: str = self.cleaned_data["mount_path"]
        try:
            return parse_path(path) if path else ""
        except PathError as error:
            text = str(error)
            raise forms.ValidationError(f"{text[0].upper()}{text[1:]}.") from error

    def clean(self) -> None:
        revision = self.cleaned_data.get("revision")
        if revision == SelectionKind.VERSION and not self.picks:
            self.add_error("revision", "Choose one of the versions below.")
        if revision in OWNED:
            self._clean_owner(SelectionKind(revision))

    def _clean_owner(self, kind: SelectionKind) -> None:
        try:
            text = self.cleaned_data.get("owner", "").strip()
            self.cleaned_data["owner"] = ids.parse_id(kind, text)
        except ids.MalformedId:
            self.add_error("owner", f"The ID of the {kind}, which begins with {_prefix(kind)}.")

    def wanted(self) -> NewMount:
        """The mount as the action takes it. The form must be valid."""
        values = self.cleaned_data
        wish = Wish(str(self.prefix), Access(values["access"]), self._selection())
        return NewMount(wish, values["mount_path"] or None, values["instructions"] or None)

    def _selection(self) -> Selection | None:
        revision = self.cleaned_data["revision"]
        if revision == CURRENT:
            return None
        kind = SelectionKind(revision)
        if kind == SelectionKind.VERSION:
            return Selection(kind, self.picks)
        return Selection(kind, self.cleaned_data["owner"] if kind in OWNED else None)


def _renews_form(store_id: str) -> dict[str, str]:
    """What makes htmx draw the form anew when a revision is chosen: other fields belong to it."""
    return {
        "hx-post": reverse("console:session-new"),
        "hx-trigger": "change",
        "hx-target": "#plan",
        "hx-swap": "outerHTML",
        "hx-vals": json.dumps({"pick": store_id}),
    }


def _prefix(kind: SelectionKind) -> str:
    return f"{ids.PREFIXES[kind]}_"


class KeyForm(ConsoleForm):
    """A key that acts as a Session's agent."""

    name = NameField(label="Name", widget=forms.TextInput(attrs={"class": "input"}))
    expires_on = forms.DateField(
        label="Last day in UTC",
        required=False,
        widget=forms.DateInput(attrs={"type": "date", "class": "input"}),
    )

    def clean_expires_on(self) -> date | None:
        day: date | None = self.cleaned_data["expires_on"]
        if day and day < now().date():
            raise forms.ValidationError("That day has passed.")
        if day == date.max:  # a key ends with it, and no day comes after
            raise forms.ValidationError("Leave it empty for a key that ends with the Session.")
        return day
