"""The forms of a thread: fresh, or as they were sent when they were refused."""

from django import template

from console.forms.comments import CommentForm, EditCommentForm
from console.proposals.comments import Said, Talk, Talks

register = template.Library()


@register.simple_tag
def join_in(talk: Talk, talks: Talks) -> bool:
    """Whether whoever looks may reply in a thread."""
    return talks.may_comment and not talk.is_earlier


@register.simple_tag
def reply_form(talk: Talk, talks: Talks) -> CommentForm:
    """The form for a reply."""
    refused = talks.refused_at(talk.begun)
    return refused if isinstance(refused, CommentForm) else CommentForm()


@register.simple_tag
def edited_form(said: Said, talks: Talks) -> EditCommentForm | None:
    """The edit of a comment that was refused, if it was."""
    refused = talks.refused_at(said.comment)
    return refused if isinstance(refused, EditCommentForm) else None
