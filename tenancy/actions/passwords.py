"""Changing the password behind a person's sign-in."""

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from database.transactions import durable
from tenancy.audit import record
from tenancy.caller import Caller
from tenancy.models import User
from wire.errors import Malformed, NotFound


@durable
def change_password(*, caller: Caller, password: str) -> None:
    """Give the person who is signed in a new password; their other sign-ins end with the old one.

    Raises:
        NotFound: nobody is signed in behind this caller.
        Malformed: the password is too weak.
    """
    people = User.objects.select_for_update(no_key=True)
    user = people.filter(principals=caller.principal_id).first()
    if user is None:
        raise NotFound("There is no sign-in behind this caller.")
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise Malformed(f"password: {' '.join(error.messages)}") from error
    user.set_password(password)
    user.save(update_fields=["password"])
    record(
        caller=caller,
        event="principal.password_changed",
        target_kind="principal",
        target_id=str(caller.principal_id),
    )
