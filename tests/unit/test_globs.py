"""Globs of review rules: what they match, what is refused, and that none takes long."""

import glob
import re
from time import process_time

import pytest
from hypothesis import given, strategies

from memory.documents.globs import matcher, parse_glob
from memory.documents.paths import PathError
from tests.patience import PATIENCE

MATCHES = [
    ("/a.md", "/a.md", True),
    ("/a.md", "/b.md", False),
    ("/a.md", "/A.md", False),
    ("/*.md", "/a.md", True),
    ("/*.md", "/guides/a.md", False),
    ("/guides/**", "/guides/a.md", True),
    ("/guides/**", "/guides/deep/down/a.md", True),
    ("/guides/**", "/guides", False),
    ("/guides/**", "/guidesx/a.md", False),
    ("/**", "/a", True),
    ("/**/*.md", "/a.md", True),
    ("/**/*.md", "/x/y/a.md", True),
    ("/**/*.md", "/x/y/a.txt", False),
    ("/x/**/y/**/z", "/x/y/z", True),
    ("/x/**/y/**/z", "/x/1/y/2/y/3/z", True),
    ("/x/**/y/**/z", "/x/1/2/z", False),
    ("/**/a/b/**/c", "/a/x/a/b/c", True),
    ("/a?c/[xy]", "/abc/y", True),
    ("/a?c/[!xy]", "/abc/y", False),
    ("/[*]", "/*", True),
    ("/[*]", "/a", False),
    ("/.*", "/.hidden", True),
    ("/*", "/.hidden", True),
    ("/été/*", "/été/a", True),
    ("/a**b".replace("**", "*"), "/axxb", True),
]


@pytest.mark.parametrize(("pattern", "path", "expected"), MATCHES)
def test_what_matches(pattern, path, expected):
    assert matcher(parse_glob(pattern))(path) is expected


@pytest.mark.parametrize(
    "text",
    ["", "*.md", "a/b", "/", "/guides/", "/a//b", "/a/../b", "/a**", "/***", "/a\\*", "/\x00"],
)
def test_what_is_no_glob(text):
    with pytest.raises(PathError):
        parse_glob(text)


TRANSLATE = getattr(glob, "translate", None)
NAMES = strategies.sampled_from(["a", "b", "ab", "ba", "aab"])
PIECES = strategies.sampled_from(["a", "b", "*", "?", "a*", "*b", "[ab]", "**", "**"])


@pytest.mark.skipif(TRANSLATE is None, reason="glob.translate is new in Python 3.13")
@given(strategies.lists(PIECES, min_size=1, max_size=6), strategies.lists(NAMES, min_size=1))
def test_it_agrees_with_the_standard_library(pieces, names):
    pattern, path = "/" + "/".join(pieces), "/" + "/".join(names)
    assert TRANSLATE
    translated = TRANSLATE(pattern, recursive=True, include_hidden=True, seps="/")

    assert matcher(pattern)(path) is bool(re.match(translated, path))


def test_a_hostile_glob_takes_no_time():
    pattern = parse_glob("/" + "/".join(["**", "*a" * 60] * 8))
    matches = matcher(pattern)
    path = "/" + "/".join(["a" * 30] * 32)

    start = process_time()
    assert not any(matches(path) for _ in range(100))
    assert process_time() - start < PATIENCE


def test_a_glob_is_made_out_once():
    assert matcher("/guides/**") is matcher("/guides/**")
