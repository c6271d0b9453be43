"""What every form of the Console shares: no colons, lines that are lines, refusals in place."""

from collections.abc import Callable
from secrets import token_urlsafe
from typing import Any, Final

from django import forms
from django.http import HttpRequest

from wire.errors import ApiError, Conflict, Malformed, NotFound, RangeTooLarge
from wire.fields import NAME_LENGTH, one_line
from wire.idempotency import IdempotencyKey, fingerprint

REFUSED_IN_PLACE = (Malformed, Conflict, NotFound, RangeTooLarge)
"""Refusals that a person can mend in the form; every other is a page of its own."""


WORDS_LENGTH: Final = 4_096
"""Characters of a description or a note, as the API takes them."""

_CSRF: Final = "csrfmiddlewaretoken"


class ConsoleForm(forms.Form):
    """A form that also knows with which status it is shown again."""

    status = 200

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | options)

    def is_valid(self) -> bool:
        valid = super().is_valid()
        if self.is_bound and not valid:
            self.status = 422
        return valid

    def carry_out[R](self, action: Callable[[], R]) -> R | None:
        """Run an action; what it refuses stands in the form then, and None is returned."""
        try:
            return action()
        except REFUSED_IN_PLACE as error:
            self.refuse(error)
            return None

    def refuse(self, error: ApiError) -> None:
        """Show an action's refusal at the field that it names, else above all of them."""
        self.status = error.status
        field, _, reason = error.message.partition(": ")
        if field in self.fields and reason:
            self.add_error(field, reason[0].upper() + reason[1:])
        else:
            self.add_error(None, error.message)

    def forgive(self, field: str) -> None:
        """Do not hold a field against the person this time."""
        self.errors.pop(field, None)
        self.status = 422 if self.errors else 200


class OnceForm(ConsoleForm):
    """A form that makes something once, however often its button is pressed.

    Every rendering draws a token, which has no id: a page may hold several such forms. The same
    token with the same values is the same request, which the action's receipt tells again;
    changed values are another one, so that whoever goes back, mends a word and sends anew is not
    refused.
    """

    token = forms.RegexField(
        r"^[A-Za-z0-9_-]{1,64}\Z",
        required=False,
        initial=token_urlsafe,
        widget=forms.HiddenInput(attrs={"autocomplete": "off", "id": False}),
    )

    def key(self, request: HttpRequest) -> IdempotencyKey | None:
        """The key of the action that this valid form asks for; None when it came without a token.

        The token itself is stored nowhere, so that the digest that is the key confirms no guess
        at the values it was made of.
        """
        if not self.cleaned_data["token"]:
            return None
        sent = {name: values for name, values in request.POST.lists() if name != _CSRF}
        digest = fingerprint("POST", request.get_full_path(), sent)
        return IdempotencyKey(f"form {digest.hex()}", digest)


class NameField(forms.CharField):
    """One line of 1 to 200 characters, as the API takes it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_length": NAME_LENGTH} | options)

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        try:
            return one_line(text) if text else text
        except ValueError as error:
            raise forms.ValidationError(f"{str(error).capitalize()}.") from error


class LinesField(forms.CharField):
    """A text whose line ends are LF: browsers send CR LF whatever was typed.

    Args:
        may_be_empty: nothing typed is a text too, so the field is not labelled as optional.
    """

    widget = forms.Textarea

    def __init__(self, *, may_be_empty: bool = False, **options: Any) -> None:
        self.may_be_empty = may_be_empty
        super().__init__(**{"strip": False} | options)

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return text.replace("\r\n", "\n") if isinstance(text, str) else text
