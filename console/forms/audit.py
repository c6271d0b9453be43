"""What the audit log is narrowed by."""

from typing import Any, Final

from django import forms

from console.forms.base import ConsoleForm
from wire import ids

NOUNS: Final = (
    "agent",
    "api_key",
    "collaboration_space",
    "environment",
    "erasure_sink",
    "import",
    "input",
    "job",
    "memory_call",
    "notices",
    "permission_assignment",
    "preferences",
    "principal",
    "proposal",
    "retention_policy",
    "round",
    "run",
    "saved_view",
    "session",
    "store",
    "tag",
    "working_ref",
    "workspace",
)
"""What events begin with; a noun with its dot asks for all events of it."""


class AuditForm(ConsoleForm):
    """Conditions on entries of the audit log, all of them optional.

    Args:
        actors: grouped choices of identifiers, of principals and of keys.
    """

    event = forms.CharField(
        label="Event",
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"list": "events", "placeholder": "store.created"}),
    )
    by = forms.ChoiceField(label="By, or for", required=False)
    target = forms.CharField(
        label="On, by its ID",
        required=False,
        widget=forms.TextInput(attrs={"placeholder": "memstore_…"}),
    )
    since = forms.DateField(
        label="From", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label="Until", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )

    def __init__(self, *args: Any, actors: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for field in self.fields.values():
            field.widget.attrs["class"] = "input"
        self.fields["by"].choices = [("", "Anybody"), *actors]  # type: ignore[attr-defined]

    def clean_target(self) -> str:
        """An identifier of any kind, or nothing."""
        text: str = self.cleaned_data["target"]
        try:
            if text:
                ids.uuid_from_id(text)
        except ids.MalformedId as error:
            raise forms.ValidationError(f"{str(error).capitalize()}.") from error
        return text
