"""One page of a search, for whoever shows it: found, cut to snippets, and how to go on (Q1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memory.access import StoreAccess
from memory.publication import Acquired
from memory.queries.search import Hit, search
from memory.queries.versions import resolve
from memory.search.cursors import Place, Question, read_cursor, write_cursor
from memory.search.queries import parse_search
from memory.search.snippets import Snippet, snippet
from wire.errors import Malformed

DEFAULT_RESULTS: Final = 20
MAX_RESULTS: Final = 100


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked for, and where.

    Attributes:
        query: as somebody typed it.
        version_id: an exact version; None for canonical, resolved once.
        prefix: as `parse_prefix` has it; None for the whole tree.
        cursor: what the page before gave; only together with its version.
        limit: results of one page.
    """

    query: str
    version_id: str | None = None
    prefix: str | None = None
    cursor: str | None = None
    limit: int = DEFAULT_RESULTS


@dataclass(frozen=True, slots=True)
class Result:
    """A document that matches, the place in it that does, and how well, in millionths."""

    path: str
    content_sha256: bytes
    score: int
    snippet: Snippet


@dataclass(frozen=True, slots=True)
class ResultPage:
    """Some results at one exact version; `acquired` is for the publication recheck."""

    version_id: str
    results: Sequence[Result]
    next_cursor: str | None
    acquired: Acquired


def search_page(access: StoreAccess, asked: Asked) -> ResultPage:
    """Search one exact version of a store, best results first.

    Raises:
        QueryError: the query is too long, or holds no word to look for.
        NotFound: the store has no such version.
        Malformed: the cursor is no such search's, or came without its version.
        Conflict: a text that may have matched was erased since the cursor's search began.
    """
    query = parse_search(asked.query)
    if asked.cursor and not asked.version_id:
        raise Malformed("version: a cursor goes on in the version that its page named.")
    version_id = resolve(access.store_id, asked.version_id)
    question = Question(access.store_id, version_id, asked.query, asked.prefix)
    place = _place(access, question, asked.cursor)
    hits = search(
        access.store_id,
        version_id,
        query,
        prefix=asked.prefix,
        behind=place.behind if place else None,
        limit=asked.limit + 1,
    )
    shown = hits[: asked.limit]
    more = len(hits) > asked.limit
    return ResultPage(
        version_id,
        [_result(hit, query.lexemes) for hit in shown],
        write_cursor(question, _behind(access, shown[-1], place)) if more else None,
        _acquired(access, shown),
    )


def _place(access: StoreAccess, question: Question, cursor: str | None) -> Place | None:
    if cursor is None:
        return None
    place = read_cursor(question, cursor)
    place.require_current(access.store.erasure_epoch)
    return place


def _behind(access: StoreAccess, last: Hit, place: Place | None) -> Place:
    """The place behind a page's last result; its end is settled on the first page."""
    ends_at = place.ends_at if place else last.earliest
    return Place(last.rank, access.store.erasure_epoch, ends_at)


def _result(hit: Hit, lexemes: frozenset[str]) -> Result:
    return Result(hit.path, hit.content_sha256, hit.score, snippet(hit.text, lexemes))


def _acquired(access: StoreAccess, shown: Sequence[Hit]) -> Acquired:
    return Acquired(
        access,
        bodies=[hit.document_id for hit in shown],
        expires_at=min((hit.expires_at for hit in shown if hit.expires_at), default=None),
    )
