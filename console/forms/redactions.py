"""Forms of the erasure wizard: which paths, and the confirmation of what was shown."""

from typing import Any, Final

from django import forms

from console.forms.base import ConsoleForm, LinesField, OnceForm
from console.forms.erasure import TypedConfirmation
from memory.documents.paths import PathError, parse_path

MOST_PATHS: Final = 100
LONGEST: Final = 120_000
"""Characters of a hundred paths and their ends of lines."""


class PathsForm(ConsoleForm):
    """The paths to erase, one a line, as they were typed or picked."""

    use_required_attribute = False  # the field may be empty while something is ticked

    paths = LinesField(
        label="Paths to erase",
        max_length=LONGEST,
        error_messages={"required": "Pick or type at least one path."},
        widget=forms.Textarea(
            attrs={"rows": 6, "class": "mono", "spellcheck": "false", "autocomplete": "off"}
        ),
        help_text=f"One per line, {MOST_PATHS} at most. Each names one document, not a directory.",
    )

    def clean_paths(self) -> list[str]:
        lines = lines_in(self.cleaned_data["paths"])
        if len(lines) > MOST_PATHS:
            raise forms.ValidationError(f"These are {len(lines)} paths; {MOST_PATHS} at most.")
        wrong = [forms.ValidationError(error) for error in filter(None, map(_fault, lines))]
        if wrong:
            raise forms.ValidationError(wrong[:20])
        return sorted(lines)


class ConfirmForm(OnceForm):
    """The paths and the digest of what was shown, and the store's name to confirm.

    Args:
        store: the name to type.
    """

    paths = forms.CharField(max_length=LONGEST, widget=forms.HiddenInput, strip=False)
    seen = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, store: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["confirmation"] = TypedConfirmation(store, "store")


def lines_in(text: str) -> list[str]:
    """The lines of a field that are not blank, each once."""
    lines = text.replace("\r\n", "\n").split("\n")
    return list(dict.fromkeys(line for line in lines if line.strip()))


def _fault(path: str) -> str | None:
    try:
        parse_path(path)
    except PathError as error:
        return f"{path}: {error}."
    return None
