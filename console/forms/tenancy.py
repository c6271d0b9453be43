"""Forms for principals, agents, keys and grants."""

from typing import Any

from django import forms

from console.forms.base import WORDS_LENGTH, ConsoleForm, LinesField, NameField
from tenancy.models import ApiKey, Permission, Principal
from wire.times import now

PERMISSION_HINTS = {
    Permission.READ: "See documents, history and Proposals.",
    Permission.WRITE: "Open Proposals, and write directly where the store allows it.",
    Permission.REVIEW: "Approve and reject Proposals. People and keys only.",
    Permission.ACT_AS: "Run Sessions as an agent.",
    Permission.ADMIN: "Change settings that govern review, and who has access.",
}


class PermissionsField(forms.MultipleChoiceField):
    """Any of the permissions; none implies another (contract §0)."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, permissions: tuple[Permission, ...] = tuple(Permission)) -> None:
        choices = [(each.value, f"{each.value}: {PERMISSION_HINTS[each]}") for each in permissions]
        super().__init__(label="Permissions", choices=choices)

    def clean(self, value: Any) -> list[Permission]:
        return [Permission(each) for each in super().clean(value)]


class GrantForm(ConsoleForm):
    """A grant on one target.

    Args:
        subjects: grouped choices of `kind:id`.
        targets: grouped choices of `kind:id`; left out where the page is about one target.
    """

    subject = forms.ChoiceField(label="Who")
    target = forms.ChoiceField(label="On what")
    permissions = PermissionsField()

    def __init__(self, *args: Any, subjects: Any, targets: Any = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["subject"].choices = [("", "Choose…"), *subjects]  # type: ignore[attr-defined]
        if targets is None:
            del self.fields["target"]
        else:
            self.fields["target"].choices = targets  # type: ignore[attr-defined]


class ExplainForm(ConsoleForm):
    """A question: why may somebody do something with a store?

    Args:
        subjects: grouped choices of `kind:id`.
        stores: choices of an ID and a name.
    """

    who = forms.ChoiceField(label="Who")
    store = forms.ChoiceField(label="Which store")

    def __init__(self, *args: Any, subjects: Any, stores: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for field in self.fields.values():
            field.widget.attrs["class"] = "input"
        self.fields["who"].choices = [("", "Choose…"), *subjects]  # type: ignore[attr-defined]
        self.fields["store"].choices = [("", "Choose…"), *stores]  # type: ignore[attr-defined]


class KeyForm(ConsoleForm):
    name = NameField(label="Name", help_text="What uses it, e.g. the agent or the script.")
    key_class = forms.ChoiceField(
        label="Class",
        choices=[
            ("standard", "Standard: uses grants"),
            ("admin", "Admin: administers, reads nothing by itself"),
        ],
        initial=ApiKey.Class.STANDARD,
    )
    principal = forms.ChoiceField(
        label="Bound to",
        required=False,
        help_text="Whose grants it uses. A key bound to nobody uses grants of its own.",
    )
    expires_at = forms.DateTimeField(
        label="Expires",
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text="In UTC. Without a date it lives until it is revoked.",
    )

    def __init__(self, *args: Any, principals: list[tuple[str, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["principal"].choices = [("", "Nobody"), *principals]  # type: ignore[attr-defined]

    def clean_expires_at(self) -> Any:
        moment = self.cleaned_data["expires_at"]
        if moment is not None and moment <= now():
            raise forms.ValidationError("That time has passed.")
        return moment


class PersonForm(ConsoleForm):
    """A person with a sign-in of their own."""

    name = NameField(label="Name")
    username = forms.CharField(label="User name", max_length=150)
    password = forms.CharField(
        label="First password",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="At least 10 characters. Hand it over safely; they can change it once signed in.",
    )
    is_admin = forms.BooleanField(
        label="Workspace admin",
        required=False,
        help_text="Administers people, keys and grants. Reads no content without a grant.",
    )


class ServiceForm(ConsoleForm):
    """A service principal: never signs in, never reviews."""

    name = NameField(label="Name")


class PrincipalForm(ConsoleForm):
    name = NameField(label="Name")
    is_admin = forms.BooleanField(label="Workspace admin", required=False)
    state = forms.ChoiceField(label="State", choices=Principal.State.choices)

    def __init__(self, *args: Any, principal: Principal, **options: Any) -> None:
        initial = {"name": principal.name, "is_admin": principal.is_admin, "state": principal.state}
        super().__init__(*args, initial=initial, **options)
        if principal.kind != Principal.Kind.PERSON:
            del self.fields["is_admin"]


class AgentForm(ConsoleForm):
    name = NameField(label="Name")
    description = LinesField(
        label="Description",
        required=False,
        max_length=WORDS_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
