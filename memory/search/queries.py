"""What a person or an agent asks search for, and how PostgreSQL is asked for it (contract Q1).

Terms stand side by side and all must be found. "Words in quotation marks" are found in that order
only, and a term or phrase behind a minus sign must not be found. A term that is cut into several
words, such as a path, a dotted name or a line of Chinese, is a phrase of its own.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, NamedTuple
from uuid import UUID

from database.vectors import quote_lexeme
from memory.search.vectors import LONG, store_lexeme
from memory.search.words import Run, runs

MAX_QUERY_CHARACTERS: Final = 400

MOST_RANKED_WORDS: Final = 16
"""Words of a query that make a score. PostgreSQL's work grows with the cube of their number: two
hundred that a text repeats would take it ten seconds for that text alone. All of them are found.
"""

_TERM: Final = re.compile(r'(?P<minus>-?)(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')


class QueryError(ValueError):
    """The text asks for nothing that could be found."""


class _Step(NamedTuple):
    """A word of a phrase, and how many positions it stands behind the phrase's first."""

    lexeme: str
    position: int


@dataclass(frozen=True, slots=True)
class Term:
    """Words that must stand in a row; often a single one.

    Attributes:
        steps: the words and their distances.
        whole: the term written as one word, which is as good.
    """

    steps: tuple[_Step, ...]
    whole: str | None = None

    @property
    def lexemes(self) -> set[str]:
        """Every word by which a reader recognises it in a text."""
        return {step.lexeme for step in self.steps} | ({self.whole} if self.whole else set())

    def spell(self, *, loosely: bool) -> str:
        """The term in the text form of a tsquery.

        Args:
            loosely: also find long documents that hold all of its words in whatever order.
        """
        choices = [quote_lexeme(self.whole)] if self.whole else []
        choices.append(self._in_a_row())
        if loosely and len(self.steps) > 1:
            words = [quote_lexeme(step.lexeme) for step in self.steps]
            choices.append(" & ".join([quote_lexeme(LONG), *words]))
        return " | ".join(f"({choice})" for choice in choices)

    def _in_a_row(self) -> str:
        first, *others = self.steps
        spelled, at = quote_lexeme(first.lexeme), first.position
        for step in others:
            spelled += f" <{step.position - at}> {quote_lexeme(step.lexeme)}"
            at = step.position
        return spelled


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A question that can be answered: something is looked for."""

    wanted: tuple[Term, ...]
    excluded: tuple[Term, ...]

    @property
    def lexemes(self) -> frozenset[str]:
        """The words to highlight."""
        return frozenset().union(*(term.lexemes for term in self.wanted))

    @property
    def ranking(self) -> str:
        """The tsquery that scores a document: what is wanted, as far as it makes a score."""
        return _all_of(_first_words(self.wanted))

    def matching(self, store: UUID) -> str:
        """The tsquery that finds documents of one store."""
        unwanted = [f"!({term.spell(loosely=False)})" for term in self.excluded]
        mark = quote_lexeme(store_lexeme(store))
        return " & ".join([mark, _all_of(self.wanted), *unwanted])


def parse_search(text: str) -> SearchQuery:
    """Read what somebody typed.

    Raises:
        QueryError: it is too long, or holds no word that is looked for.
    """
    if len(text) > MAX_QUERY_CHARACTERS:
        raise QueryError(f"a query has at most {MAX_QUERY_CHARACTERS} characters")
    wanted: list[Term] = []
    excluded: list[Term] = []
    for match in _TERM.finditer(text):
        term = _term(runs(match["phrase"] or match["word"] or ""))
        if term:
            (excluded if match["minus"] else wanted).append(term)
    if not wanted:
        raise QueryError("the query holds no word to look for")
    return SearchQuery(tuple(dict.fromkeys(wanted)), tuple(dict.fromkeys(excluded)))


def _all_of(terms: Iterable[Term]) -> str:
    return " & ".join(f"({term.spell(loosely=True)})" for term in terms)


def _first_words(terms: Iterable[Term]) -> Iterator[Term]:
    """Terms from the first on, and of the last of them as many words as there is room for."""
    room = MOST_RANKED_WORDS
    for term in terms:
        if room > 0:
            yield replace(term, steps=term.steps[:room])
        room -= len(term.steps)


def _term(found: Iterable[Run]) -> Term | None:
    given = list(found)
    steps = tuple(_steps(given))
    whole = given[0].whole if len(given) == 1 else None
    return Term(steps, whole.lexeme if whole else None) if steps else None


def _steps(found: Iterable[Run]) -> Iterator[_Step]:
    position = 0
    for run in found:
        pieces = list(run.pairs) or run.pieces
        yield from (_Step(piece.lexeme, position + at) for at, piece in enumerate(pieces))
        position += len(run.pieces)
