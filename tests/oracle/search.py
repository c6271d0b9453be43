"""Search in the oracle (contract Q1): which documents match, without saying how well.

Its words are enough for the queries that are drawn: those of European scripts, and Han.
"""

import re
import unicodedata

from tests.oracle.store import Store
from tests.oracle.values import MALFORMED, Caller, Found, Refused, Version

_HAN = "\u4e00-\u9fff"
_RUN = re.compile(rf"[{_HAN}]|[^\W_{_HAN}]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_TERM = re.compile(r'(-?)(?:"([^"]*)"|(\S+))')


class Index:
    """What can be found in one store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def search(
        self, caller: Caller, query: str, version: int | None = None, prefix: str = "/"
    ) -> Found:
        """The documents of one version that hold all terms and none that is ruled out."""
        self.store.know(caller)
        terms = [(minus, phrase or word) for minus, phrase, word in _TERM.findall(query)]
        wanted = [term for minus, term in terms if pieces(term) and not minus]
        unwanted = [term for minus, term in terms if pieces(term) and minus]
        if not wanted:
            raise Refused(MALFORMED, "nothing to look for")
        sealed = self.store.resolve(caller, version)
        return Found(
            sealed.number,
            frozenset(
                (row.path, row.sha256)
                for row in self.store.list_documents(caller, sealed.number, prefix)
                if row.erased is None
                and all(_holds(sealed, row.path, term) for term in wanted)
                and not any(_holds(sealed, row.path, term) for term in unwanted)
            ),
        )


def _holds(sealed: Version, path: str, term: str) -> bool:
    """Whether path or text holds a term: its words in a row, or all of it as one word."""
    places = (path, sealed.tree[path].text)
    return any(_in_a_row(pieces(term), pieces(place)) for place in places) or (
        len(wholes(term)) == 1 and any(wholes(term) <= wholes(place) for place in places)
    )


def _in_a_row(words: list[str], among: list[str]) -> bool:
    return any(among[at : at + len(words)] == words for at in range(len(among)))


def wholes(text: str) -> set[str]:
    """The words of a text as they stand there, folded."""
    return {_fold(run) for run in _runs(text)}


def pieces(text: str) -> list[str]:
    """The words of a text in order, cut where case or digits suggest parts (`getUser`)."""
    return [_fold(piece) for run in _runs(text) for piece in _parts(run)]


def _parts(run: str) -> list[str]:
    return _PART.findall(run) if run.isascii() else [run]


def _runs(text: str) -> list[str]:
    return _RUN.findall(unicodedata.normalize("NFKC", text))


def _fold(word: str) -> str:
    return unicodedata.normalize("NFKC", word.casefold())
