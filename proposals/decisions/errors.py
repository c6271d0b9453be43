"""Refusals of a response, which the timeline keeps (contract P2)."""

from proposals.models import Refusal
from wire.errors import ApiError


class Refused(Exception):
    """A response was refused. Inside this room only: callers get `error`.

    Attributes:
        refusal: the closed word that the attempt keeps.
        error: what the caller is answered.
    """

    def __init__(self, refusal: Refusal, error: ApiError) -> None:
        super().__init__(refusal)
        self.refusal = refusal
        self.error = error
