"""Forms for where Sessions run, and for the spaces in which they take place."""

from typing import Any

from django import forms

from console.forms.base import WORDS_LENGTH, ConsoleForm, LinesField, NameField
from tenancy.models import Environment

WRITERS = [
    (
        "capture",
        "By capture: when a turn is over, its runner sends the whole tree as it was left",
    ),
    ("native", "By calls: the agent writes through the API while it works"),
    ("none", "Not at all: agents only read there"),
]


def _description() -> LinesField:
    return LinesField(
        label="Description",
        required=False,
        max_length=WORDS_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class PlaceForm(ConsoleForm):
    """The words about an environment or a space."""

    name = NameField(label="Name")
    description = _description()


class EnvironmentForm(PlaceForm):
    """A new environment. What it can do never changes afterwards."""

    memory_writer = forms.ChoiceField(
        label="How writes become versions",
        choices=WRITERS,
        widget=forms.RadioSelect,
        initial=Environment.MemoryWriter.CAPTURE,
    )
    can_enumerate = forms.BooleanField(
        label="It can list a whole mounted tree",
        required=False,
        initial=True,
        help_text="Captures need it. Without it, a Run that is to write by capture fails.",
    )


class MemberForm(ConsoleForm):
    """Somebody who is to belong to a space. `member` is `kind:id`."""

    member = forms.ChoiceField(label="Who")

    def __init__(self, *args: Any, members: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["member"].choices = [("", "Choose…"), *members]  # type: ignore[attr-defined]
