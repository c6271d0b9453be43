"""The lines of a diff, and what stands beside them."""

from django import template
from django.template.context import Context
from django.utils.safestring import SafeString

from console.drawing.diffs import FileDiff
from console.drawing.difftables import NOTHING
from console.proposals.comments import FileTalks

register = template.Library()


@register.simple_tag(takes_context=True)
def file_talks(context: Context, file: FileDiff) -> FileTalks | None:
    """What was said about a file of a Proposal's diff; None where a page takes no comments."""
    talks = context.get("talks")
    return talks.of(file) if talks and talks.files else None


@register.simple_tag(takes_context=True)
def is_viewed(context: Context, file: FileDiff) -> bool | None:
    """Whether the person has viewed a file; None where nobody is asked to."""
    progress = context.get("progress")
    return progress.has(file) if progress else None


@register.simple_tag
def file_table(file: FileDiff, layout: str, beside: FileTalks | None = None) -> SafeString:
    """The lines of a file's diff, with what is to stand beside them."""
    return SafeString(file.table(layout, beside or NOTHING))
