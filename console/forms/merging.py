"""The form that says what shall be at a path that both sides changed (contract P4)."""

from typing import Any, Final

from django import forms

from console.forms.base import ConsoleForm, LinesField
from memory.documents.texts import TextError, is_crlf, parse_text
from memory.merging.lines import has_marks
from memory.trees.hashing import parse_hash, spell_hash
from memory.versions.sealing import Put
from proposals.replays.choices import Accepted, Choice, Side
from proposals.replays.merges import Merge

MERGED: Final = "merge"
BY_HAND: Final = "content"


class ChoiceForm(ConsoleForm):
    """What shall be at one path. Nothing is chosen before a person chooses.

    Args:
        merge: the conflict, as it is offered.
        draft: a text that the person has written already, to go on with.
    """

    path = forms.CharField(widget=forms.HiddenInput, strip=False)
    content_sha256 = forms.CharField(widget=forms.HiddenInput, required=False)
    take = forms.ChoiceField(label="What shall be there?", widget=forms.RadioSelect)
    text = LinesField(
        label="The text, written by hand",
        required=False,
        may_be_empty=True,
        widget=forms.Textarea(attrs={"class": "editor", "rows": 10}),
    )

    def __init__(
        self, *args: Any, merge: Merge, number: int, draft: str | None = None, **options: Any
    ) -> None:
        begun = _begun(merge)
        initial = {
            "path": merge.path,
            "content_sha256": spell_hash(merge.sha256) if merge.sha256 else "",
            "take": None if draft is None else BY_HAND,
            "text": begun if draft is None else draft,
        }
        super().__init__(*args, **{"prefix": f"path-{number}", "initial": initial, **options})
        self.merge = merge
        self.number = number
        self.crlf = is_crlf(begun or "")
        self._has_draft = draft is not None
        take = self.fields["take"]
        assert isinstance(take, forms.ChoiceField)
        take.choices = _choices(merge, by_hand=begun is not None)
        if begun is None:
            del self.fields["text"]

    @property
    def begins_open(self) -> bool:
        """Whether the text is shown at once: for who writes it, and where lines are contested."""
        contested = self.merge.merged is not None and not self.merge.is_clean
        return contested or self._has_draft or self["take"].value() == BY_HAND

    def clean_path(self) -> str:
        if self.cleaned_data["path"] != self.merge.path:
            raise forms.ValidationError("The conflicts are others by now. Look at them again.")
        return self.merge.path

    def clean_text(self) -> str:
        text = self.cleaned_data["text"]
        if self.data.get(self.add_prefix("take")) != BY_HAND:
            return str(text)
        if has_marks(text):
            raise forms.ValidationError("The marks of a conflict are still in the text.")
        try:
            return parse_text(text.replace("\n", "\r\n") if self.crlf else text)
        except TextError as error:
            raise forms.ValidationError(f"{str(error).capitalize()}.") from error

    @property
    def written(self) -> str | None:
        """The text that was written by hand, when that is what shall be there."""
        return self.cleaned_data["text"] if self.cleaned_data["take"] == BY_HAND else None

    @property
    def choice(self) -> Choice:
        """What was chosen, as the action takes it.

        Raises:
            HashError: the digest of the text that was offered is none.
        """
        take = self.cleaned_data["take"]
        if take == BY_HAND:
            return Put(self.cleaned_data["text"])
        if take == MERGED:
            return Accepted(parse_hash(self.cleaned_data["content_sha256"]))
        return Side(take)


def _begun(merge: Merge) -> str | None:
    """What writing by hand begins with; None where there is no text, or no place for one."""
    if merge.conflict.blocked_by:
        return None
    if merge.merged:
        return merge.merged.text
    return merge.canonical.text if merge.head.text is None else merge.head.text


def _choices(merge: Merge, *, by_hand: bool) -> list[tuple[str, str]]:
    """What a person may choose from, with what each comes to."""
    conflict, found = merge.conflict, []
    if merge.is_clean:
        found.append((MERGED, "The merged text, with both changes"))
    if not conflict.blocked_by and not merge.head.erasure:
        kept = "This Proposal's text" if conflict.head else "No document, as this Proposal has it"
        found.append((Side.PROPOSAL.value, kept))
    kept = "Canonical's text" if conflict.canonical else "No document, as canonical has it"
    found.append((Side.CANONICAL.value, f"{kept}: this path leaves the Proposal"))
    if by_hand:
        found.append((BY_HAND, "A text written by hand, below"))
    return found
