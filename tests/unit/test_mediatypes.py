"""Contract M2: media types."""

import pytest

from memory.documents.mediatypes import MediaTypeError, default_media_type, parse_media_type


@pytest.mark.parametrize(
    "text",
    ["text/plain", "application/vnd.example+json", "x/y", "text/" + "s" * 250],
)
def test_media_types(text):
    assert parse_media_type(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "text",
        "text/",
        "/plain",
        "text/plain; charset=utf-8",
        "text/plain\n",
        "text/pl\0ain",
        "te xt/plain",
        "text/plain/more",
        "-",
        "text/ple\u00efn",
        "text/" + "s" * 251,
    ],
)
def test_refused(text):
    with pytest.raises(MediaTypeError, match="type/subtype"):
        parse_media_type(text)


@pytest.mark.parametrize(
    ("path", "media_type"),
    [("/a.md", "text/markdown"), ("/a.txt", "text/plain"), ("/md", "text/plain")],
)
def test_default_media_types(path, media_type):
    assert default_media_type(path) == media_type
