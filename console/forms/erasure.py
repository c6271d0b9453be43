"""Forms for how long bodies are kept, and for what takes them away for good."""

from typing import Any

from django import forms

from console.forms.base import ConsoleForm


def _days(label: str, help_text: str) -> forms.IntegerField:
    return forms.IntegerField(
        label=label, help_text=help_text, required=False, min_value=1, max_value=36_500
    )


class TypedConfirmation(forms.CharField):
    """A name that has to be typed before something irreversible happens.

    Args:
        name: what must be typed.
        what: what the name is of.
    """

    def __init__(self, name: str, what: str) -> None:
        self.name = name
        super().__init__(
            label=f"Type the name of the {what} to confirm",
            help_text=f"It is called {name}",
            max_length=200,
            widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        )

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if text != self.name.strip():
            raise forms.ValidationError("This is not its name.")
        return text


class DaysForm(ConsoleForm):
    """How long bodies are kept; `version` is what the person looked at (M9)."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    body_lifetime_days = _days(
        "Days that a text lives",
        "Every text written from now on gets this date when it is written, and is gone after it,"
        " even if it is canonical. Texts that are there already keep what they have."
        " Empty: no date.",
    )
    retire_superseded_after_days = _days(
        "Days that a superseded text is kept",
        "A text that no ref reaches any more (canonical, a Session, an open Proposal, a curation"
        " run) is erased after so many days. History still says that it was there."
        " Empty: it is kept for ever.",
    )


class NoRetentionForm(ConsoleForm):
    """Switching zero data retention on, or erasing what there is once it is on.

    Args:
        workspace: the name to type.
        is_on: whether it is on already, so that only erasing is left to ask for.
    """

    version = forms.IntegerField(widget=forms.HiddenInput)
    erase_existing = forms.BooleanField(
        label="Erase every text that the Workspace has, in all stores and versions. For ever.",
        required=False,
    )

    def __init__(self, *args: Any, workspace: str, is_on: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["erase_existing"].required = is_on
        self.fields["confirmation"] = TypedConfirmation(workspace, "Workspace")


class DeletionForm(ConsoleForm):
    """Deleting a store.

    Args:
        store: the name to type.
    """

    def __init__(self, *args: Any, store: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["confirmation"] = TypedConfirmation(store, "store")


class SessionErasureForm(ConsoleForm):
    """Erasing a Session, which has no name of its own.

    Args:
        agent: the name to type.
    """

    def __init__(self, *args: Any, agent: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["confirmation"] = TypedConfirmation(agent, "agent")
