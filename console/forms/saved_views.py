"""The form that keeps the filters of the review queue under a name."""

from django import forms

from console.forms.base import ConsoleForm, NameField


class KeepViewForm(ConsoleForm):
    """A name for the filters that are sent along."""

    name = NameField(label="Name", widget=forms.TextInput(attrs={"autocomplete": "off"}))
    is_default = forms.BooleanField(label="Begin my queue with it", required=False)
