"""Forms for opening a Proposal and for deciding on one."""

from typing import Any

from django import forms

from console.forms.base import WORDS_LENGTH, ConsoleForm, LinesField, NameField, OnceForm
from memory.documents.mediatypes import MediaTypeError, parse_media_type
from memory.documents.paths import PathError, parse_path
from memory.documents.texts import TextError, parse_text


class WordsForm(OnceForm):
    """What people are told of the change, and the exact version it starts from."""

    base_version = forms.CharField(widget=forms.HiddenInput)
    title = NameField(label="Title", help_text="What changes, in a few words.")
    description = LinesField(
        label="Why",
        required=False,
        max_length=WORDS_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What a reviewer should know.",
    )


class DeleteForm(WordsForm):
    """The words of a proposed deletion."""


class EditForm(WordsForm):
    """A new text for a document that exists.

    Args:
        crlf: the document's lines end with CR LF, which browsers do not keep: it is put back.
    """

    text = LinesField(
        label="Text",
        required=False,
        may_be_empty=True,
        widget=forms.Textarea(attrs={"class": "editor", "rows": 24}),
    )
    field_order = ["base_version", "text", "title", "description"]

    def __init__(self, *args: Any, crlf: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        self.crlf = crlf

    def clean_text(self) -> str:
        text = self.cleaned_data["text"]
        try:
            return parse_text(text.replace("\n", "\r\n") if self.crlf else text)
        except TextError as error:
            raise forms.ValidationError(f"{str(error).capitalize()}.") from error


class AddForm(EditForm):
    """A document at a path where there is none."""

    path = forms.CharField(
        label="Path",
        strip=False,
        widget=forms.TextInput(attrs={"class": "mono", "placeholder": "/guides/releases.md"}),
        help_text="Begins with a slash.",
    )
    media_type = forms.CharField(
        label="Media type",
        required=False,
        help_text="Left empty: text/markdown for .md, else text/plain.",
    )
    field_order = ["base_version", "path", "text", "media_type", "title", "description"]

    def clean_path(self) -> str:
        try:
            return parse_path(self.cleaned_data["path"])
        except PathError as error:
            raise forms.ValidationError(f"{str(error).capitalize()}.") from error

    def clean_media_type(self) -> str | None:
        text = self.cleaned_data["media_type"]
        try:
            return parse_media_type(text) if text else None
        except MediaTypeError as error:
            raise forms.ValidationError(f"{str(error).capitalize()}.") from error


class RespondForm(ConsoleForm):
    """A decision, with the three identifiers of what was on the screen (contract P2).

    `unshown` is the tick of whoever approves although the page did not show everything.
    """

    response = forms.ChoiceField(choices=[("approve", "Approve"), ("reject", "Reject")])
    base_version = forms.CharField()
    head_version = forms.CharField()
    diff_hash = forms.CharField()
    note = LinesField(required=False, max_length=WORDS_LENGTH)
    unshown = forms.BooleanField(required=False)


class PickForm(OnceForm):
    """Some files of a Proposal, for one of their own.

    Args:
        paths: the changed ones.
    """

    paths = forms.MultipleChoiceField(
        label="Files", widget=forms.CheckboxSelectMultiple, help_text="Some, and not all of them."
    )
    title = NameField(label="Title", help_text="What these change, in a few words.")

    def __init__(self, *args: Any, paths: list[str], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["paths"].choices = [(path, path) for path in paths]  # type: ignore[attr-defined]
