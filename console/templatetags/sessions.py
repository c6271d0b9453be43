"""How the Console says what mounts come to."""

from django import template

from console.sessions.words import REASONS, REFUSALS
from sessions.models import Mount, SelectionKind
from sessions.mounts.resolver import Reason, Refusal
from sessions.queries.facts import selection_of

register = template.Library()

SELECTIONS = {
    SelectionKind.CANONICAL: "canonical",
    SelectionKind.SESSION: "the working ref of",
    SelectionKind.PROPOSAL: "the head of",
    SelectionKind.CURATION: "the result of",
    SelectionKind.VERSION: "exactly",
}


@register.filter
def reason_sentence(reason: str) -> str:
    """Why a mount comes to less than was asked for."""
    return REASONS[Reason(reason)]


@register.filter
def refusal_sentence(refusal: str) -> str:
    """Why a mount cannot be had as it was asked for."""
    return REFUSALS[Refusal(refusal)]


@register.filter
def selection_words(mount: Mount) -> str:
    """What a mount reads, in words; an ID may come behind them."""
    selection = selection_of(mount)
    return SELECTIONS[selection.kind] if selection else "the current state"
