"""A document as full-text search finds it: the words of its path and of its text (contract Q1)."""

from typing import Final
from uuid import UUID

from database.vectors import (
    MOST_BYTES,
    MOST_POSITION,
    MOST_POSITIONS,
    WEIGHTS,
    SearchVector,
    stored_bytes,
)
from memory.search.words import LONGEST_WORD, unplaced_runs

LONG: Final = "/long"
"""Marks a document in which not every occurrence has its own position.

PostgreSQL keeps 256 positions of a word and counts no further than 16,383. Beyond that nobody can
tell from the vector which words stand side by side, so there a phrase is found by its words.
"""

GAP: Final = 8
"""Positions left out between path and text, so that no phrase spans them."""


def store_lexeme(store: UUID) -> str:
    """What every document of a store has, and no word can be: no word holds a slash.

    With it, a query is answered from the index for one store alone, however many there are.
    """
    return f"/{store.hex}"


def document_vector(store: UUID, path: str, text: str) -> SearchVector:
    """The vector of a document.

    Words that PostgreSQL's limit of 1 MiB leaves no room for are left out. Only a text that
    grows when it is folded comes near.
    """
    builder = _Builder()
    builder.add(path, WEIGHTS["A"])
    builder.position += GAP
    builder.add(text, WEIGHTS["D"])
    return builder.vector(store_lexeme(store))


class _Builder:
    def __init__(self) -> None:
        self.position = 1
        self._lexemes: dict[str, list[int]] = {}
        self._room = MOST_BYTES - stored_bytes(LONGEST_WORD, 0)
        self._is_long = False

    def add(self, text: str, weight: int) -> None:
        """Add the words of a text behind those that are there already."""
        for run in unplaced_runs(text):
            if run.whole:
                self._put(run.whole.lexeme, self.position, weight)
            for position, piece in enumerate(run.pieces, self.position):
                self._put(piece.lexeme, position, weight)
            if run.unspaced:  # asked first: most runs have no pairs, and this is asked a lot
                for position, pair in enumerate(run.pairs, self.position):
                    self._put(pair.lexeme, position, weight)
            self.position += len(run.pieces)

    def vector(self, mark: str) -> SearchVector:
        """All of it, with a mark of the caller's that stands at no position."""
        marks = [mark, LONG] if self._is_long else [mark]
        nowhere: dict[str, list[int]] = {lexeme: [] for lexeme in marks}
        return SearchVector(nowhere | self._lexemes)

    def _put(self, lexeme: str, position: int, weight: int) -> None:
        positions = self._lexemes.get(lexeme)
        if positions is None:
            cost = stored_bytes(len(lexeme.encode()), 1)
            self._is_long |= position > MOST_POSITION
            if cost <= self._room:
                self._room -= cost
                self._lexemes[lexeme] = [min(position, MOST_POSITION) + weight]
        elif position <= MOST_POSITION and len(positions) < MOST_POSITIONS and self._room >= 2:
            if positions[-1] & MOST_POSITION < position:
                self._room -= 2
                positions.append(position + weight)
        else:
            self._is_long = True
