"""Words, vectors, queries and snippets of search, without a database (contract Q1)."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from database.vectors import MOST_BYTES, MOST_POSITION, MOST_POSITIONS, stored_bytes
from memory.search import snippets
from memory.search.queries import QueryError, parse_search
from memory.search.snippets import LENGTH, MOST_READ, snippet
from memory.search.vectors import LONG, document_vector, store_lexeme
from memory.search.words import LONGEST_WORD, Run, fold, runs

STORE = UUID(int=7)


def _parts(text):
    return [[piece.lexeme for piece in run.pieces] for run in runs(text)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("Plain words, here!", [["plain"], ["words"], ["here"]]),
        ("getUserName", [["get", "user", "name"]]),
        ("HTTPServer2", [["http", "server", "2"]]),
        ("ABCDef", [["abc", "def"]]),
        ("snake_case", [["snake"], ["case"]]),
        ("__init__.py", [["init"], ["py"]]),
        ("5th v1.2", [["5", "th"], ["v", "1"], ["2"]]),
        ("ÉtatMajor", [["état", "major"]]),
        ("e\u0301tat", [["état"]]),
        ("日本tower", [["日", "本"], ["tower"]]),
        ("हिन्दी", [["हिन्दी"]]),
        ("1a2b3c4d5e6f7a8b", [["1a2b3c4d5e6f7a8b"]]),
        ("x" * 256, []),
    ],
)
def test_a_text_is_cut_into_words_and_their_parts(text, parts):
    assert _parts(text) == parts


def test_an_identifier_is_a_word_of_its_own_beside_its_parts():
    _, run = runs("see getUserName")

    assert run.whole is not None
    assert (run.whole.lexeme, run.whole.start, run.whole.end) == ("getusername", 4, 15)


texts = st.text(
    st.one_of(
        st.sampled_from("aB1_- .日本のก\u0301\u200dÉß\ufdfa½\n"),
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
    ),
    max_size=60,
)


@given(texts)
def test_pieces_stand_where_they_say_and_are_folded(text):
    last = 0
    for run in runs(text):
        for piece in (*run.pieces, *run.pairs, *([run.whole] if run.whole else [])):
            if not run.unspaced:
                assert fold(text[piece.start : piece.end]) == piece.lexeme
            assert len(piece.lexeme.encode()) > 0
            assert piece.start < piece.end <= len(text)
        assert run.pieces[0].start >= last
        last = run.pieces[-1].end


@given(texts)
def test_every_word_of_a_text_finds_it_and_folding_twice_changes_nothing(text):
    for run in runs(text):
        for piece in run.pieces:
            assert fold(piece.lexeme) == piece.lexeme


@given(texts, texts)
def test_a_snippet_is_a_piece_of_the_text_with_sound_ranges(text, query):
    lexemes = {piece.lexeme for run in runs(query) for piece in run.pieces}
    cut = snippet(text * 10, lexemes)

    assert cut.text in text * 10
    assert len(cut.text) <= LENGTH
    ends = [0]
    for start, end in cut.highlights:
        assert ends[-1] <= start < end <= len(cut.text)
        ends.append(end)


def test_a_snippet_shows_where_most_words_are_together():
    text = "red " + "x " * 300 + "\nblue and red " + "y " * 300

    cut = snippet(text, {"red", "blue"})

    assert cut.line == 2
    assert [cut.text[start:end] for start, end in cut.highlights] == ["blue", "red"]


@given(texts, texts)
def test_a_snippet_shows_a_word_wherever_the_text_holds_one(text, query):
    lexemes = {piece.lexeme for run in runs(query) for piece in (*run.pieces, *run.pairs)}
    held = {piece.lexeme for run in runs(text) for piece in (*run.pieces, *run.pairs)}

    assert bool(snippet(text, lexemes).highlights) == bool(held & lexemes)


@pytest.mark.parametrize("filler", ["hay stack\n", "Heu-haufen für\n", "干草堆。\n"])
def test_a_snippet_is_found_at_the_end_of_a_long_text(filler):
    text = filler * 9_000 + "the needle 東京\n"

    cut = snippet(text, {"needle", "東京"})

    assert cut.line == 9_001
    assert [cut.text[start:end] for start, end in cut.highlights] == ["needle", "東京"]


@pytest.mark.parametrize("filler", ["hay ", "heuhaufen für ", "h", "干草", "getHayStack1 "])
def test_a_snippet_of_a_long_text_reads_little_of_it_word_by_word(filler, monkeypatch):
    read: list[int] = []

    def counted(text: str) -> Iterator[Run]:
        read.append(len(text))
        return runs(text)

    monkeypatch.setattr(snippets, "runs", counted)

    for lexemes in ({"needle"}, {"a"}, {"草"}, {"h", "ü"}):
        read.clear()
        snippet(filler * (100_000 // len(filler)), lexemes)
        assert sum(read) <= MOST_READ


def test_a_snippet_of_a_text_without_blanks_is_cut_all_the_same():
    text = "x" * 1_000

    assert len(snippet(text, set()).text) == LENGTH


def test_a_vector_holds_its_store_its_path_and_its_text():
    vector = document_vector(STORE, "/notes/a.md", "Hello hello")

    assert store_lexeme(STORE) in vector.lexemes
    assert LONG not in vector.lexemes
    assert len(vector.lexemes["hello"]) == 2
    assert vector.lexemes["notes"][0] > MOST_POSITION  # it has a weight


@pytest.mark.parametrize("text", ["word " * 300, " ".join(f"w{n}x" for n in range(9_000))])
def test_a_document_beyond_postgresqls_positions_says_so(text):
    vector = document_vector(STORE, "/a", text)

    assert LONG in vector.lexemes
    for positions in vector.lexemes.values():
        places = [position & MOST_POSITION for position in positions]
        assert len(places) <= MOST_POSITIONS
        assert places == sorted(set(places))


def test_a_vector_never_outgrows_postgresqls_limit():
    text = "".join(f"\ufdfa{chr(0x4E00 + at)}\ufdfa " for at in range(9_000))

    vector = document_vector(STORE, "/a", text)

    size = sum(
        stored_bytes(len(lexeme.encode()), len(positions))
        for lexeme, positions in vector.lexemes.items()
    )
    assert size <= MOST_BYTES
    assert max(len(lexeme.encode()) for lexeme in vector.lexemes) <= LONGEST_WORD


@pytest.mark.parametrize(
    ("query", "spelled"),
    [
        ("plan", "('plan')"),
        ("a b", "(('a')) & (('b'))"),
        ("plan plan", "('plan')"),
        ("x' | y", "(('x')) & (('y'))"),
    ],
)
def test_terms_are_spelled_for_the_database(query, spelled):
    ranking = parse_search(query).ranking

    assert ranking.replace("(", "").replace(")", "") == spelled.replace("(", "").replace(")", "")


@pytest.mark.parametrize("query", ["", " ", "-a", '""', "-", "…", "x" * 256, "a" * 401])
def test_a_query_must_look_for_something(query):
    with pytest.raises(QueryError):
        parse_search(query)
