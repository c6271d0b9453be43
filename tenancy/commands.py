"""The frame of the operator's commands: one sentence for what is wrong, exit status 1."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from wire.errors import ApiError


class Refused(CommandError):
    """What was asked for cannot be done; the message is the sentence to print."""


class OperatorCommand(BaseCommand):
    """A command whose last line of output is what it made, and nothing else on that line."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except ApiError as error:
            raise Refused(error.message) from error
        except OperationalError as error:
            raise Refused("The database cannot be reached.") from error

    def tell(self, sentence: str, made: str) -> None:
        """Print what happened, then what was made on the last line."""
        self.stdout.write(sentence)
        self.stdout.write(made)
