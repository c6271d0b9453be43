"""The comments of a Proposal where its pages show them: under a line, on a file, or beside all."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote_plus

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from console.drawing.diffs import FileDiff
from console.forms.comments import CommentForm, EditCommentForm
from console.links import commenting_url
from console.naming import Named, Names
from console.people import ConsoleRequest
from memory.access import StoreAccess
from memory.diffs.lines import Line, LineKind
from memory.documents.paths import PathError, parse_path
from memory.models import Lifecycle
from proposals.actions.comments import may_comment
from proposals.models import Comment, CommentSide, Proposal
from proposals.queries.comments import Thread, earlier_of, is_own, threads_on
from proposals.queries.places import Place
from wire.errors import Malformed

type Document = tuple[str, CommentSide]
"""A document on one side of a difference."""


@dataclass(frozen=True, slots=True)
class Said:
    """A comment, who wrote it, and whether that is who looks at it."""

    comment: Comment
    author: Named
    is_own: bool


@dataclass(frozen=True, slots=True)
class Talk:
    """A thread as a page shows it.

    Attributes:
        resolver: who settled it, if somebody did.
        is_earlier: whether it is about a Proposal that this one replaced, and its head.
    """

    thread: Thread
    said: tuple[Said, ...]
    resolver: Named | None
    is_earlier: bool = False

    @property
    def begun(self) -> Comment:
        """The comment that began it, which holds the pin."""
        return self.thread.begun

    @property
    def place(self) -> Place | None:
        """What it is about; None for the Proposal as a whole."""
        begun = self.begun
        if begun.path is None or begun.side is None:
            return None
        return Place(begun.path, CommentSide(begun.side), begun.line)

    @property
    def is_open(self) -> bool:
        """Whether it waits for something: the same as the count of unresolved threads takes."""
        return not self.thread.is_resolved and not self.begun.is_gone


@dataclass(frozen=True, slots=True)
class Refused:
    """A form that was sent and refused.

    Attributes:
        at: the comment that it edits or replies to; None for a new thread.
    """

    form: CommentForm | EditCommentForm
    at: str | None = None


@dataclass(frozen=True)
class Talks:
    """All that was said about a Proposal.

    Attributes:
        earlier: the threads about what it replaced.
        files: those whose lines the page shows, with the threads about them.
        may_comment: whether whoever looks may join in.
        asked: the place that the address asks a form for.
    """

    request: HttpRequest
    proposal: Proposal
    talks: Sequence[Talk]
    earlier: Sequence[Talk]
    may_comment: bool
    files: Sequence[FileDiff] = ()
    asked: Place | None = None
    refused: Refused | None = None

    @property
    def comments(self) -> list[Comment]:
        """Every comment that a page may show."""
        return [said.comment for talk in (*self.talks, *self.earlier) for said in talk.said]

    @property
    def count(self) -> int:
        return sum(len(talk.said) for talk in self.talks)

    @property
    def open_count(self) -> int:
        return sum(talk.is_open for talk in self.talks)

    def of(self, file: FileDiff) -> "FileTalks":
        """Those about one file of the reviewed diff."""
        return FileTalks(self, file)

    @cached_property
    def _shown(self) -> set[Document | None]:
        return {place for file in self.files for place in _documents(file)}

    @property
    def in_files(self) -> list[Talk]:
        """Those that stand in a file of the page."""
        return [talk for talk in self.talks if _document(talk.place) in self._shown]

    @property
    def beside(self) -> list[Talk]:
        """Those about the Proposal, or about a file that the page does not show."""
        return [talk for talk in self.talks if _document(talk.place) not in self._shown]

    @property
    def loose_place(self) -> Place | None:
        """What the form beside the files is for: what was asked for, unless it is among them."""
        return None if _document(self.asked) in self._shown else self.asked

    @property
    def loose_form(self) -> CommentForm:
        """The form beside the files."""
        return self.new_form() if self.loose_place == self.asked else CommentForm()

    def new_form(self) -> CommentForm:
        """The form for a new thread at the place that was asked for."""
        refused = self.refused
        if refused and refused.at is None and isinstance(refused.form, CommentForm):
            return refused.form
        return CommentForm()

    def refused_at(self, comment: Comment) -> CommentForm | EditCommentForm | None:
        """The form about a comment that was refused, if one was."""
        return self.refused.form if self.refused and self.refused.at == comment.id else None

    def render(self, talk: Talk) -> str:
        """A thread as HTML, for the rows of a diff."""
        context = {"talk": talk, "talks": self, "proposal": self.proposal}
        return render_to_string("console/comments/_talk.html", context, self.request)

    def render_form(self) -> SafeString:
        """The form for the place that was asked for, as HTML."""
        context = {"form": self.new_form(), "place": self.asked, "proposal": self.proposal}
        return render_to_string("console/comments/_new.html", context, self.request)


@dataclass(frozen=True)
class FileTalks:
    """What was said about one file, and the way to say more. `difftables.Beside` for its lines."""

    talks: Talks
    file: FileDiff

    @cached_property
    def all(self) -> list[Talk]:
        """All threads about the file, wherever they are shown."""
        mine = _documents(self.file)
        return [talk for talk in self.talks.talks if _document(talk.place) in mine]

    @property
    def open_count(self) -> int:
        return sum(talk.is_open for talk in self.all)

    @cached_property
    def _drawn(self) -> set[Place]:
        """The lines that the diff draws."""
        diff = self.file.diff
        if diff is None or (not self.all and self.talks.asked is None):
            return set()
        return {self._place(line) for hunk in diff.hunks for line in hunk.lines}

    @cached_property
    def above(self) -> list[Talk]:
        """Those about the whole file, or about lines that the diff does not draw."""
        return [talk for talk in self.all if talk.place not in self._drawn]

    @property
    def asks_above(self) -> bool:
        """Whether the form that the address asks for stands above the lines."""
        asked = self.talks.asked if self.talks.may_comment else None
        is_mine = asked is not None and _document(asked) in _documents(self.file)
        return is_mine and asked not in self._drawn

    @property
    def url(self) -> str:
        """Where a comment on the file is written."""
        after = self.file.change.after
        side = CommentSide.HEAD if after else CommentSide.BASE
        return f"{commenting_url(self.talks.proposal.id)}{self._value(side)}%3A"

    def number(self, line: Line, number: int) -> str:
        """A line's number, as the way to a form beneath it. The keyboard takes the file's way.

        The address has no fragment: browsers focus the form's field only where there is none.
        """
        if not self.talks.may_comment:
            return str(number)
        is_old = line.kind is LineKind.REMOVED
        address = f"{self._addresses[is_old]}{line.old_number if is_old else line.new_number}"
        label = f'aria-label="Comment on line {number}"'
        return f'<a href="{address}" {label} tabindex="-1" data-comment>{number}</a>'

    @cached_property
    def _addresses(self) -> tuple[str, str]:
        """Where a comment on a line is written but for its number, on the head and on the base."""
        head, base = map(self._value, (CommentSide.HEAD, CommentSide.BASE))
        url = commenting_url(self.talks.proposal.id)
        return f"{url}{head}%3A", f"{url}{base}%3A"

    def below(self, line: Line, columns: int) -> str:
        """Rows beneath a line: its threads, and the form when it was asked for."""
        if not self._drawn:
            return ""
        place = self._place(line)
        parts = [self.talks.render(talk) for talk in self.all if talk.place == place]
        if self.talks.may_comment and self.talks.asked == place:
            parts.append(self.talks.render_form())
        if not parts:
            return ""
        cell = f'<td colspan="{columns}">{"".join(parts)}</td>'
        return f'<tr class="talk-row">{cell}</tr>\n'

    def _value(self, side: CommentSide) -> str:
        path = self._path(side)
        return quote_plus(f"{path}:{side}")

    def _path(self, side: CommentSide) -> str:
        change = self.file.change
        entry = change.before if side is CommentSide.BASE else change.after
        return entry.path if entry else change.path

    def _place(self, line: Line) -> Place:
        if line.kind is LineKind.REMOVED:
            return Place(self._path(CommentSide.BASE), CommentSide.BASE, line.old_number)
        return Place(self._path(CommentSide.HEAD), CommentSide.HEAD, line.new_number)


def load_talks(
    request: ConsoleRequest, access: StoreAccess, proposal: Proposal, **more: Any
) -> Talks:
    """What was said about a Proposal and those that it replaced. Three queries, and one each.

    Args:
        more: `files`, `asked` and `refused` of the page.
    """
    threads, earlier = threads_on([proposal.id]), threads_on(earlier_of(proposal))
    names = _names(request, [*threads, *earlier])
    takes_words = access.store.lifecycle == Lifecycle.ACTIVE and not proposal.words_erased_at
    return Talks(
        request,
        proposal,
        [_talk(request, names, thread) for thread in threads],
        [_talk(request, names, thread, is_earlier=True) for thread in earlier],
        may_comment=may_comment(access) and takes_words,
        **more,
    )


def _names(request: ConsoleRequest, threads: Iterable[Thread]) -> Names:
    comments = [comment for thread in threads for comment in thread.comments]
    return Names(
        request.caller.workspace_id,
        [
            reference
            for comment in comments
            for reference in (
                (comment.author_kind, comment.author_uuid),
                (comment.resolved_by_kind, comment.resolved_by_uuid),
            )
        ],
    )


def _talk(
    request: ConsoleRequest, names: Names, thread: Thread, *, is_earlier: bool = False
) -> Talk:
    said = tuple(
        Said(comment, names.actor(comment.author), is_own(request.caller, comment))
        for comment in thread.comments
    )
    resolver = thread.begun.resolver
    return Talk(thread, said, names.actor(resolver) if resolver else None, is_earlier)


def asked_place(request: HttpRequest) -> Place | None:
    """The place of `?comment=path:side:line`, or of `path:side:`. Raises Malformed."""
    text = request.GET.get("comment")
    if not text:
        return None
    try:
        path, side, line = text.rsplit(":", 2)
        return Place(parse_path(path), CommentSide(side), int(line) if line else None)
    except (ValueError, PathError) as error:
        raise Malformed("comment: a path, a side and a line, such as /a.md:head:3.") from error


def _document(place: Place | None) -> Document | None:
    return (place.path, place.side) if place else None


def _documents(file: FileDiff) -> set[Document | None]:
    sides = ((file.change.before, CommentSide.BASE), (file.change.after, CommentSide.HEAD))
    return {(entry.path, side) for entry, side in sides if entry}
