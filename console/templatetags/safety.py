"""Text safety in templates: the reports of diffs, and what is loud."""

from typing import Any

from django import template

from console.drawing.diffs import Diff
from console.drawing.safety import Loud, Report, loud_in, report_on_diff
from memory.textsafety.scanning import Scan

register = template.Library()


@register.simple_tag
def safety_of(diff: Diff, store_id: str) -> Report:
    """What the new texts of a diff hold that a reviewer may miss."""
    return report_on_diff(diff, store_id)


@register.filter
def loud_in_proposal(proposal: Any) -> Loud:
    """What was counted in a Proposal and is announced before its decision."""
    return loud_in(proposal.text_safety)


@register.filter
def loud_in_text(scan: Scan | None) -> Loud:
    """What is announced of one text."""
    return loud_in(scan.counts if scan else {})
