"""The form in which a person says how they want to be told."""

from typing import Any

from django import forms

from console.forms.base import ConsoleForm
from notices.actions.preferences import Wanted
from notices.models import Channel, Preferences, Rhythm

ADDRESS_LENGTH = 254
"""Characters of an address, as SMTP takes it (RFC 5321)."""


class _Choice(forms.ChoiceField):
    def __init__(self, enum: Any, **options: Any) -> None:
        super().__init__(choices=enum.choices, widget=forms.RadioSelect, **options)


def _require_a_domain(address: str) -> None:
    """Refuse a domain that cannot be spelled for DNS; Django takes letters of any script."""
    try:
        address.rpartition("@")[2].encode("idna")
    except UnicodeError as error:
        raise forms.ValidationError("No mail server can be found for this address.") from error


class PreferencesForm(ConsoleForm):
    """Where e-mail goes, and what is told how."""

    address = forms.EmailField(
        label="E-mail address",
        required=False,
        max_length=ADDRESS_LENGTH,
        validators=[_require_a_domain],
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        help_text="A new one is asked whether it is yours before anything else is sent there."
        " Leave it empty for no e-mail.",
    )
    assigned = _Choice(Channel, label="A Proposal waits for me")
    commented = _Choice(Channel, label="A comment on my Proposal, or in a thread I wrote in")
    decided = _Choice(Channel, label="A decision on what I opened, approved or commented on")
    digest = _Choice(Rhythm, label="An e-mail that lists all that waits for me")

    @classmethod
    def showing(cls, kept: Preferences) -> "PreferencesForm":
        """The form with what a person has chosen."""
        names = ("address", "assigned", "commented", "decided", "digest")
        return cls(initial={name: getattr(kept, name) for name in names})

    def wanted(self) -> Wanted:
        """What a valid form asks for."""
        values = self.cleaned_data
        return Wanted(
            address=values["address"] or None,
            assigned=Channel(values["assigned"]),
            commented=Channel(values["commented"]),
            decided=Channel(values["decided"]),
            digest=Rhythm(values["digest"]),
        )
