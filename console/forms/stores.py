"""Forms for making a store and changing its settings."""

from typing import Any

from django import forms
from pydantic import TypeAdapter, ValidationError

from console.forms.base import WORDS_LENGTH, ConsoleForm, LinesField, NameField, OnceForm
from memory.api.fields import Metadata
from memory.models import CanonicalWrites, SelfApproval

_METADATA: TypeAdapter[dict[str, str]] = TypeAdapter(Metadata)

WRITES = [
    ("review", "By review: only an approved Proposal moves canonical"),
    ("direct", "Direct: whoever holds write may append"),
]
APPROVALS = [
    ("denied", "Somebody else must approve"),
    ("allowed", "Authors may approve their own"),
]


class MetadataField(LinesField):
    """One `key: value` a line, as a dictionary of texts."""

    def __init__(self) -> None:
        super().__init__(
            label="Metadata",
            required=False,
            widget=forms.Textarea(attrs={"rows": 3, "class": "mono"}),
            help_text="One “key: value” a line.",
        )

    def clean(self, value: Any) -> dict[str, str]:
        lines = [line for line in (super().clean(value) or "").split("\n") if line.strip()]
        pairs = [line.partition(":") for line in lines]
        if any(not colon or not key.strip() for key, colon, _ in pairs):
            raise forms.ValidationError("Write each line as “key: value”.")
        keys = [key.strip() for key, _, _ in pairs]
        if len(set(keys)) != len(keys):
            raise forms.ValidationError("A key stands there twice.")
        return _bounded({key: text.strip() for key, (_, _, text) in zip(keys, pairs, strict=True)})

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, dict):
            return "\n".join(f"{key}: {text}" for key, text in value.items())
        return value


def _bounded(metadata: dict[str, str]) -> dict[str, str]:
    """Refuse what the API would refuse."""
    try:
        return _METADATA.validate_python(metadata)
    except ValidationError as error:
        raise forms.ValidationError(
            "At most 64 keys of up to 128 characters, each with up to 1,024 characters."
        ) from error


def _description() -> LinesField:
    return LinesField(
        label="Description",
        required=False,
        max_length=WORDS_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class NewStoreForm(OnceForm):
    """A new store. `owner` is `kind:id`."""

    name = NameField(label="Name", help_text="What it holds, e.g. team-memory.")
    description = _description()
    owner = forms.ChoiceField(
        label="Owner",
        help_text=(
            "A shared store (of the Workspace or an agent) moves by review unless you say"
            " otherwise. A person's own store is written by that person."
        ),
    )
    canonical_writes = forms.ChoiceField(
        label="How canonical moves",
        choices=WRITES,
        widget=forms.RadioSelect,
        initial=CanonicalWrites.REVIEW,
        help_text="Only for shared stores.",
    )
    self_approval = forms.ChoiceField(
        label="Approving one's own Proposal",
        choices=APPROVALS,
        widget=forms.RadioSelect,
        initial=SelfApproval.DENIED,
    )
    metadata = MetadataField()

    def __init__(self, *args: Any, owners: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["owner"].choices = owners  # type: ignore[attr-defined]


class ForkForm(OnceForm):
    """What becomes of a version. `owner` is `kind:id`."""

    name = NameField(label="Name")
    owner = forms.ChoiceField(
        label="Owner",
        help_text="A shared store (of the Workspace or an agent) moves by review at first.",
    )
    description = _description()

    def __init__(self, *args: Any, owners: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["owner"].choices = owners  # type: ignore[attr-defined]


class StoreForm(ConsoleForm):
    """A store's settings; `version` is the integer that the person looked at (M9)."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    name = NameField(label="Name")
    description = _description()
    metadata = MetadataField()


class GovernanceForm(ConsoleForm):
    """The settings that lift review, which need `admin` (contract §0)."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    canonical_writes = forms.ChoiceField(
        label="How canonical moves", choices=WRITES, widget=forms.RadioSelect
    )
    self_approval = forms.ChoiceField(
        label="Approving one's own Proposal", choices=APPROVALS, widget=forms.RadioSelect
    )

    def __init__(self, *args: Any, shared: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        if not shared:
            del self.fields["canonical_writes"]
