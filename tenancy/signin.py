"""Sign-ins: the username and password behind a person's Principal."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from database.transactions import step
from tenancy.models import User
from wire.errors import Conflict, Malformed


@step
def add_user(*, username: str, password: str) -> User:
    """Make a sign-in.

    Raises:
        Malformed: the username holds what it may not hold, or the password is too weak.
        Conflict: the username is taken.
    """
    username = User.normalize_username(username)
    draft = User(username=username)
    with _naming("username"):
        draft.clean_fields(exclude=["password"])
    with _naming("password"):
        validate_password(password, draft)
    user, created = User.objects.get_or_create(username=username)
    if not created:
        raise Conflict(f"The username {username} is taken.")
    user.set_password(password)
    user.save(update_fields=["password"])
    return user


@contextmanager
def _naming(field: str) -> Iterator[None]:
    """Tell Django's validation errors as ours, under the field's name."""
    try:
        yield
    except ValidationError as error:
        raise Malformed(f"{field}: {' '.join(error.messages)}") from error
