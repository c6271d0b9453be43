"""Inputs, their rounds, and what was called in them (contract S6)."""

from collections.abc import Collection

from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber

from sessions.models import InputMount, MemoryCall, Round, SessionInput
from tenancy.caller import Caller
from wire.errors import BackendUnavailable, NotFound

NO_SUCH_INPUT = "There is no such input."
NO_SUCH_ROUND = "There is no such round."


def inputs_of(session_id: str) -> QuerySet[SessionInput]:
    """A Session's inputs."""
    return SessionInput.objects.filter(session=session_id)


def find_input(caller: Caller, input_id: str) -> SessionInput:
    """An input of the caller's Workspace. Raises NotFound."""
    inputs = SessionInput.objects.filter(session__workspace=caller.workspace_id)
    found = inputs.filter(id=input_id).first()
    if found is None:
        raise NotFound(NO_SUCH_INPUT)
    return found


def plans_of_inputs(input_ids: Collection[str]) -> QuerySet[InputMount]:
    """What each mount came to for some inputs, in the order of the mounts."""
    return InputMount.objects.filter(input__in=list(input_ids)).order_by("position")


def rounds_of(input_id: str) -> QuerySet[Round]:
    """An input's rounds."""
    return Round.objects.filter(input=input_id)


def last_rounds(input_ids: Collection[str], *, each: int) -> list[Round]:
    """The last rounds of some inputs, newest first, with what was called in them. One query."""
    number = Window(RowNumber(), partition_by=F("input"), order_by=F("position").desc())
    rounds = Round.objects.filter(input__in=list(input_ids)).annotate(number=number)
    some = rounds.filter(number__lte=each).select_related("call__checkpoint", "call__mount")
    return list(some.order_by("-position"))


def find_round(caller: Caller, round_id: str) -> Round:
    """A round of the caller's Workspace, with its input. Raises NotFound."""
    rounds = Round.objects.filter(input__session__workspace=caller.workspace_id)
    found = rounds.select_related("input").filter(id=round_id).first()
    if found is None:
        raise NotFound(NO_SUCH_ROUND)
    return found


def entered_rounds(session_id: str) -> QuerySet[Round]:
    """The rounds of a Session that are still going on: what its erasure has to join (S7)."""
    return Round.objects.filter(input__session=session_id, state=Round.State.ENTERED)


def find_call(entered: Round, name: str) -> MemoryCall:
    """The receipt of a round's call.

    Raises:
        BackendUnavailable: there is none, or what it wrote was redacted. It does not follow that
            nothing was written, nor that it may be written again.
    """
    calls = MemoryCall.objects.filter(round=entered, name=name)
    told = calls.filter(receipt__fingerprint__isnull=False)
    found = told.select_related("mount", "checkpoint").first()
    if found is None:
        raise BackendUnavailable(
            "There is no receipt of this call to be told. Whether it wrote is not known from that,"
            " and it is no permission to write again."
        )
    return found
