"""What people say about a Proposal: a form sent, the thread told again."""

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_POST

from console.door import for_person, versioned
from console.forms.comments import CommentForm, EditCommentForm
from console.people import ConsoleRequest
from console.proposals.comments import Refused, Talk, load_talks
from console.publishing import publish_page
from console.responses import redirect, wants_fragment
from console.views.proposals import Review, open_review, review_page
from memory.publication import Acquired
from proposals.actions.comments import (
    NewComment,
    add_comment,
    delete_comment,
    edit_comment,
    settle_thread,
)
from proposals.models import Comment
from proposals.publication import comments_held
from proposals.queries.comments import get_comment
from wire.errors import Malformed


@require_POST
@for_person
@versioned
def add(request: ConsoleRequest, proposal_id: str) -> HttpResponseBase:
    """Begin a thread, or reply in one."""
    review = open_review(request, proposal_id)
    form = CommentForm(request.POST)
    made = _add(request, review, form) if form.is_valid() else None
    if made is None:
        thread = form.cleaned_data.get("thread")
        return _refused(request, review, Refused(form, thread))
    return _told(request, review, get_comment(proposal_id, made))


def _add(request: ConsoleRequest, review: Review, form: CommentForm) -> str | None:
    values = form.cleaned_data
    comment = NewComment(values["text"], form.place, values["thread"])
    done = form.carry_out(
        lambda: add_comment(
            access=review.tab.access,
            proposal_id=review.proposal.id,
            comment=comment,
            key=form.key(request),
        )
    )
    return done.comment_id if done else None


@require_POST
@for_person
@versioned
def change(request: ConsoleRequest, proposal_id: str, comment_id: str) -> HttpResponseBase:
    """Edit or delete a comment of one's own; resolve its thread, or open it again."""
    review = open_review(request, proposal_id)
    access, task = review.tab.access, request.POST.get("do")
    if task == "edit":
        form = EditCommentForm(request.POST)
        if not _edit(review, comment_id, form):
            return _refused(request, review, Refused(form, comment_id))
    elif task == "delete":
        delete_comment(access=access, proposal_id=proposal_id, comment_id=comment_id)
    elif task in {"resolve", "unresolve"}:
        settle_thread(
            access=access,
            proposal_id=proposal_id,
            comment_id=comment_id,
            resolved=task == "resolve",
        )
    else:
        raise Malformed("do: one of edit, delete, resolve, unresolve.")
    return _told(request, review, get_comment(proposal_id, comment_id))


def _edit(review: Review, comment_id: str, form: EditCommentForm) -> bool:
    """Whether the form was valid, and the edit not refused."""
    if form.is_valid():
        form.carry_out(
            lambda: edit_comment(
                access=review.tab.access,
                proposal_id=review.proposal.id,
                comment_id=comment_id,
                text=form.cleaned_data["text"],
            )
        )
    return not form.errors


def _told(request: ConsoleRequest, review: Review, comment: Comment) -> HttpResponse:
    """The thread as it is now, where htmx asks; else the page, at the comment."""
    if wants_fragment(request):
        return _thread(request, review, comment.thread_id or comment.id)
    page = reverse("console:proposal", args=[review.proposal.id])
    return redirect(request, f"{page}#comment-{comment.id}")


def _refused(request: ConsoleRequest, review: Review, refused: Refused) -> HttpResponse:
    if not wants_fragment(request):
        return review_page(request, review, refused=refused)
    if refused.at is None:
        return _form(request, review, refused)
    comment = get_comment(review.proposal.id, refused.at)
    return _thread(request, review, comment.thread_id or comment.id, refused)


def _form(request: ConsoleRequest, review: Review, refused: Refused) -> HttpResponse:
    """The form of a new thread, with what is wrong with it."""
    form = refused.form
    place = form.place if isinstance(form, CommentForm) else None
    context = review.tab.context | {"form": form, "place": place, "proposal": review.proposal}
    return publish_page(
        request,
        "console/proposal_talk.html",
        context,
        [Acquired(review.tab.access)],
        fragment="form",
        status=form.status,
    )


def _thread(
    request: ConsoleRequest, review: Review, thread_id: str, refused: Refused | None = None
) -> HttpResponse:
    talks = load_talks(request, review.tab.access, review.proposal, refused=refused)
    talk = next(talk for talk in talks.talks if talk.begun.id == thread_id)
    context = review.tab.context | {
        "proposal": review.proposal,
        "talks": talks,
        "talk": talk,
        "shows_place": talk.place is None,
        "another": _another(request, talk),
    }
    return publish_page(
        request,
        "console/proposal_talk.html",
        context,
        [Acquired(review.tab.access, held=[comments_held(talks.comments)])],
        fragment="talk",
        status=refused.form.status if refused else 200,
    )


def _another(request: ConsoleRequest, talk: Talk) -> CommentForm | None:
    """A fresh form in the place of the one that began a thread about the whole Proposal."""
    has_begun = "thread" not in request.POST and "do" not in request.POST
    return CommentForm() if has_begun and talk.place is None else None
