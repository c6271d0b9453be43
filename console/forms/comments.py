"""Forms for what is said about a Proposal."""

from typing import Any

from django import forms

from console.forms.base import WORDS_LENGTH, ConsoleForm, LinesField, OnceForm
from memory.documents.paths import PathError, parse_path
from proposals.models import CommentSide
from proposals.queries.places import Place
from wire import ids

SIDES = ((CommentSide.HEAD.value, "after"), (CommentSide.BASE.value, "before"))


def _words() -> LinesField:
    return LinesField(max_length=WORDS_LENGTH, widget=forms.Textarea(attrs={"rows": 3}))


class CommentForm(OnceForm):
    """A comment: in a thread, at a place, or on all of a Proposal."""

    text = _words()
    thread = forms.CharField(required=False)
    path = forms.CharField(required=False, strip=False)
    side = forms.ChoiceField(choices=SIDES, required=False)
    line = forms.IntegerField(min_value=1, required=False)

    def clean_text(self) -> str:
        return _not_blank(self.cleaned_data["text"])

    def clean_thread(self) -> str | None:
        text = self.cleaned_data["thread"]
        try:
            return ids.parse_id("comment", text) if text else None
        except ids.MalformedId as error:
            raise forms.ValidationError("There is no such thread.") from error

    def clean_path(self) -> str | None:
        text = self.cleaned_data["path"]
        try:
            return parse_path(text) if text else None
        except PathError as error:
            raise forms.ValidationError(f"{str(error).capitalize()}.") from error

    @property
    def place(self) -> Place | None:
        """Where the comment is to stand, as far as what was sent is valid."""
        values: dict[str, Any] = self.cleaned_data
        if not values.get("path"):
            return None
        return Place(values["path"], CommentSide(values.get("side") or "head"), values.get("line"))


class EditCommentForm(ConsoleForm):
    """A comment's new text."""

    text = _words()

    def clean_text(self) -> str:
        return _not_blank(self.cleaned_data["text"])


def _not_blank(text: str) -> str:
    if not text.strip():
        raise forms.ValidationError("Write something.")
    return text
