"""Templates and styles hold nothing that no page uses, and every route is pictured or named."""

import re
from collections.abc import Iterator
from pathlib import Path

from django.urls import resolve

from console.urls import urlpatterns
from tests.browser.pages import NOT_PICTURED, PAGES
from tests.browser.world import make_world

HOUSE = Path(__file__).resolve().parents[2]
STYLES = HOUSE / "static" / "console"
TEMPLATES = HOUSE / "templates"

LONGEST_STYLESHEET = 400
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
DRAWN_BY_LIBRARIES = {"swagger-ui", "errorlist", "htmx-request", "link-target"}
"""Written by Swagger UI, Django, htmx and the drawing of Markdown in memory/documents."""


def _sources() -> Iterator[tuple[Path, str]]:
    """Whatever may write a class into a page, or name a template."""
    for folder, pattern in ((TEMPLATES, "*.html"), (HOUSE / "console", "*.py"), (STYLES, "*.js")):
        for path in folder.rglob(pattern):
            yield path, path.read_text()


def _selectors(css: str) -> str:
    """A stylesheet without comments and declarations."""
    return re.sub(r"[\w-]+\s*:[^;{}]*;", "", COMMENT.sub("", css))


def _styled() -> set[str]:
    sheets = "".join(_selectors(path.read_text()) for path in STYLES.glob("*.css"))
    return set(re.findall(r"\.([a-z][\w-]*)", sheets)) - DRAWN_BY_LIBRARIES


def test_every_class_of_the_stylesheet_is_used() -> None:
    texts = " ".join(text for _, text in _sources())
    words = set(re.findall(r"[a-z][\w-]*", texts))
    numbered = set(re.findall(r"([a-z][\w-]*-)\{", texts))
    unused = {each for each in _styled() - words if each.rstrip("0123456789") not in numbered}
    assert sorted(unused) == []


def test_every_token_is_used() -> None:
    sheets = "".join(COMMENT.sub("", path.read_text()) for path in STYLES.glob("*.css"))
    declared = set(re.findall(r"(--[\w-]+)\s*:", sheets))
    assert sorted(declared - set(re.findall(r"var\((--[\w-]+)", sheets))) == []
    assert sorted(set(re.findall(r"var\((--[\w-]+)", sheets)) - declared) == []


def test_colours_are_tokens() -> None:
    """A colour is written once, with a light and a dark value."""
    for path in STYLES.glob("*.css"):
        css = COMMENT.sub("", path.read_text())
        for line in css.splitlines():
            assert not re.search(r"#[0-9a-f]{3,8}\b", line) or "--" in line, (path.name, line)


def test_every_template_is_used() -> None:
    texts = dict(_sources())
    everything = "".join(texts.values())
    names = [path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*.html")]
    assert [name for name in names if f'"{name}' not in everything] == []


def test_stylesheets_are_short() -> None:
    for path in STYLES.glob("*.css"):
        assert len(path.read_text().splitlines()) <= LONGEST_STYLESHEET, path.name


def test_every_route_is_pictured_or_named(db: None) -> None:
    world = make_world()
    pictured = {
        str(resolve(page.url(world).partition("?")[0]).url_name)
        for page in PAGES
        if "no-such-page" not in page.url(world)
    }
    routes = {str(pattern.name) for pattern in urlpatterns}
    assert sorted(routes - pictured - set(NOT_PICTURED)) == []
    assert sorted(set(NOT_PICTURED) & pictured) == []
    assert sorted(set(NOT_PICTURED) - routes) == []
