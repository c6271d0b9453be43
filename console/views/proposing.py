"""Opening a Proposal by adding, editing or deleting one document in a plain form."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from console.door import for_person, versioned
from console.drawing.diffoptions import DiffOptions, options_of
from console.drawing.diffs import preview_file
from console.forms.proposals import AddForm, DeleteForm, EditForm, WordsForm
from console.links import document_url
from console.parsing import path_parameter, version_in
from console.people import ConsoleRequest
from console.publishing import publish_page
from console.responses import redirect
from console.views.store_shell import Tab, open_tab
from memory.actions.change_sets import Operation
from memory.publication import Acquired
from memory.queries.documents import DocumentAt, read_document
from memory.queries.versions import canonical_id, path_history
from memory.textsafety.characters import counts
from memory.versions.sealing import Put
from proposals.actions.create import NewProposal, Restore, create_proposal
from proposals.opening import Words
from tenancy.models import Permission
from wire.errors import Conflict, NotFound


@dataclass(frozen=True, slots=True)
class Task:
    """What the form is about.

    Attributes:
        base: the exact version that the change starts from.
        current: the document there; None when one is added.
    """

    verb: str
    base: str
    current: DocumentAt | None

    @property
    def text(self) -> str:
        """The document's text as it is. Raises Conflict when its body was erased."""
        if self.current is None:
            return ""
        if self.current.text is None:
            raise Conflict("The body of this document was erased; there is no text to change.")
        return self.current.text

    @property
    def crlf(self) -> bool:
        """Whether every line ends with CR LF."""
        lines = self.text.count("\n")
        return lines > 0 and lines == self.text.count("\r\n")

    @property
    def hidden_characters(self) -> int:
        """Characters that an editor does not show."""
        return sum(count for kind, count in counts(self.text).items() if kind.hidden)


@require_http_methods(["GET", "POST"])
@for_person
@versioned
def propose(request: ConsoleRequest, store_id: str) -> HttpResponseBase:
    """Draft one document's change, look at its diff, and open the Proposal."""
    tab = open_tab(request, store_id, "proposals")
    tab.access.require(Permission.WRITE)
    tab.access.require_active()
    try:
        task = _task(request, tab)
    except NotFound:
        if request.method == "GET" and _was_ever(request, tab):
            return _to_document(request, tab)
        raise
    form = _form(request, task)
    is_valid = form.is_valid()
    if "preview" in request.POST:
        form.forgive("title")
    elif is_valid and (opened := _open(request, tab, task, form)):
        return opened
    return _page(request, tab, task, form)


@require_POST
@for_person
@versioned
def restore(request: ConsoleRequest, store_id: str, version_id: str) -> HttpResponseBase:
    """Open the Proposal that brings back the tree of a version."""
    tab = open_tab(request, store_id, "history")
    form = WordsForm(request.POST)
    if not form.is_valid():
        messages.error(request, "A Proposal needs a title of one line.")
        return redirect(request, reverse("console:version", args=[store_id, version_id]))
    values = form.cleaned_data
    proposal = NewProposal(
        words=Words(values["title"], values["description"]),
        head=Restore(version_id),
        base_version=version_in(values, "base_version"),
    )
    made = create_proposal(access=tab.access, proposal=proposal, key=form.key(request))
    messages.success(request, "The Proposal is open. Look at what it would change back.")
    return redirect(request, reverse("console:proposal", args=[made.proposal_id]))


def _task(request: ConsoleRequest, tab: Tab) -> Task:
    store_id = tab.access.store_id
    posted = version_in(request.POST, "base_version")
    base = posted or canonical_id(store_id)
    if not request.GET.get("path"):
        return Task("add", base, None)
    verb = "delete" if request.GET.get("operation") == "delete" else "edit"
    return Task(verb, base, read_document(store_id, path_parameter(request), base))


def _was_ever(request: ConsoleRequest, tab: Tab) -> bool:
    """Whether canonical held a document at the path that is asked for, once."""
    store_id, path = tab.access.store_id, path_parameter(request)
    return bool(path_history(store_id, path, canonical_id(store_id), limit=1))


def _to_document(request: ConsoleRequest, tab: Tab) -> HttpResponse:
    """The page of a document that is gone, which tells how it went and what there was."""
    messages.warning(request, "There is no document here any more, so there is nothing to change.")
    return redirect(request, document_url(tab.access.store_id, path_parameter(request)))


def _form(request: ConsoleRequest, task: Task) -> WordsForm:
    data, initial = request.POST or None, {"base_version": task.base}
    if task.verb == "add":
        return AddForm(data, initial=initial)
    if task.verb == "delete":
        return DeleteForm(data, initial=initial)
    return EditForm(data, initial=initial | {"text": task.text}, crlf=task.crlf)


def _open(request: ConsoleRequest, tab: Tab, task: Task, form: WordsForm) -> HttpResponse | None:
    values = form.cleaned_data
    proposal = NewProposal(
        words=Words(values["title"], values["description"]),
        head=(_operation(task, values),),
        base_version=task.base,
    )
    key = form.key(request)
    made = form.carry_out(lambda: create_proposal(access=tab.access, proposal=proposal, key=key))
    if made is None:
        return None
    messages.success(request, "The Proposal is open. It is frozen as you see it.")
    return redirect(request, reverse("console:proposal", args=[made.proposal_id]))


def _operation(task: Task, values: dict[str, Any]) -> Operation:
    current = task.current
    if current is None:
        return Operation(values["path"], Put(values["text"], values["media_type"]), None)
    change = None if task.verb == "delete" else Put(values["text"], current.media_type)
    return Operation(current.path, change, current.content_sha256)


def _page(request: ConsoleRequest, tab: Tab, task: Task, form: WordsForm) -> HttpResponse:
    has_text = task.current is not None and task.current.text is not None
    acquired = Acquired(
        access=tab.access,
        bodies=[task.current.document_id] if task.current and has_text else [],
        whole=True,
    )
    context = tab.context | {
        "task": task,
        "form": form,
        "preview": _preview(task, form, options_of(request)),
    }
    return publish_page(request, "console/propose.html", context, [acquired], status=form.status)


def _preview(task: Task, form: WordsForm, options: DiffOptions) -> Any:
    """The diff of what is in the form; for a deletion, always."""
    if task.verb == "delete":
        return _deletion(task, options)
    if not form.is_bound or "text" not in form.cleaned_data:
        return None
    before = None if task.current is None else task.text
    path = task.current.path if task.current else form.cleaned_data.get("path", "/")
    return preview_file(path, before, form.cleaned_data["text"], options)


def _deletion(task: Task, options: DiffOptions) -> Any:
    """Every line as removed; nothing when the body is erased, which does not hinder a deletion."""
    if task.current is None or task.current.text is None:
        return None
    return preview_file(task.current.path, task.current.text, None, options)
