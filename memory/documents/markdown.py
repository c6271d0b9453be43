"""Markdown made into HTML that is safe to put on a page, by two gates that know nothing of each
other: a renderer that lets no raw HTML through, and a sanitiser with a short allow-list.

A rendered document loads nothing: images become links. It points to web and mail addresses and
where its page says that relative links lead; a link to another site whose words are not its target
is followed by the target. Hidden characters come out as visible markers.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Final

import nh3
from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from memory.textsafety.characters import reveal

_MAX_NESTING: Final = 40  # of blocks and of brackets; far above real documents
_MAX_LOOKAHEAD: Final = 200_000  # tokens read ahead in one document, about 0.2 s
_LOOKAHEAD: Final = "lookahead"

# The first line must look like a key or a comment: a document may as well begin with a rule.
_FRONT_MATTER: Final = re.compile(
    r"\A---[ \t]*\r?\n(?P<matter>(?:[\w.-]+[ \t]*:|#).*\n(?:.*\n)*?)"
    r"(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)"
)
_ALIGNMENT: Final = re.compile(r"text-align:(left|center|right)")

_TAGS: Final = {
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "blockquote", "pre", "code", "hr", "br"),
    *("em", "strong", "s", "a", "ul", "ol", "li"),
    *("table", "thead", "tbody", "tr", "th", "td"),
    "span",
}
_ATTRIBUTES: Final[dict[str, set[str]]] = {"*": set(), "a": {"href"}, "ol": {"start"}}
_CLASSES: Final = {
    **{cell: {"align-left", "align-center", "align-right"} for cell in ("th", "td")},
    "span": {"link-target"},
}
_SCHEMES: Final = {"http", "https", "mailto"}
_TARGET_LENGTH: Final = 120
_IMAGE: Final = "image: "

Resolve = Callable[[str], str | None]
"""From a relative link, as it is written, to an address; None leaves the words without a link."""


def render(text: str, resolve: Resolve = lambda _: None) -> str:
    """Render a document as HTML without scripts, styles, images, forms or IDs.

    Tables and strikethrough are understood; front matter is shown as code. A text made to be
    slow to parse is shown as its source. Cells of aligned columns have the class `align-left`,
    `align-center` or `align-right`.

    Args:
        text: a document's text.
        resolve: says where relative links lead; left out, nowhere. A link such as
            `//example.org/` that leaves the site without naming a scheme is never asked about.
    """
    return _clean("".join(_pieces(text)), resolve)


def blocks(text: str, resolve: Resolve = lambda _: None) -> list[str]:
    """Render a document as `render` does, block by block: its outermost paragraphs, lists, …"""
    return [_clean(piece, resolve) for piece in _pieces(text)]


def _pieces(text: str) -> Iterator[str]:
    """The outermost blocks as HTML that nobody has cleaned yet."""
    visible = reveal(text)
    matter = _FRONT_MATTER.match(visible)
    if matter:
        yield _as_code(matter["matter"])
    body = visible[matter.end() :] if matter else visible
    env = {_LOOKAHEAD: _MAX_LOOKAHEAD}
    try:
        tokens = _PARSER.parse(body, env)
    except _TooIntricate:
        yield _as_code(body)
        return
    for block in _outermost(tokens):
        yield _PARSER.renderer.render(block, _PARSER.options, env)


def _outermost(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    depth, block = 0, list[Token]()
    for token in tokens:
        block.append(token)
        depth += token.nesting
        if depth == 0:
            yield block
            block = []


def _clean(html: str, resolve: Resolve) -> str:
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        allowed_classes=_CLASSES,
        url_schemes=_SCHEMES,
        url_relative=lambda link: None if _leaves_the_site(link) else resolve(link),
        link_rel="noopener noreferrer nofollow",
    )


def _leaves_the_site(link: str) -> bool:
    return link.replace("\\", "/").startswith("//")  # browsers read both slashes alike


class _TooIntricate(Exception):
    """Brackets that never close make the parser read the rest of the text again and again."""


class _BoundedInline(ParserInline):
    """The inline parser, with a limit on how much it reads ahead in one document."""

    def skipToken(self, state: StateInline) -> None:  # noqa: N802
        state.env[_LOOKAHEAD] -= 1
        if state.env[_LOOKAHEAD] < 0:
            raise _TooIntricate
        super().skipToken(state)


def _as_code(text: str) -> str:
    return f"<pre><code>{escape(text)}</code></pre>\n"


def _align_by_class(state: StateCore) -> None:
    """Say alignment with a class: the pages' policy allows no style attributes."""
    for token in state.tokens:
        aligned = _ALIGNMENT.search(str(token.attrs.pop("style", "")))
        if aligned:
            token.attrSet("class", f"align-{aligned[1]}")


def _link_images(state: StateCore) -> None:
    for token in state.tokens:
        if token.children:
            token.children = list(_without_images(token.children))


def _without_images(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens with a link in place of each image, or with its words inside another link."""
    inside_link = False
    for token in tokens:
        if token.type in {"link_open", "link_close"}:
            inside_link = token.type == "link_open"
        if token.type != "image":
            yield token
            continue
        source = str(token.attrs.get("src", ""))
        words = Token("text", "", 0, content=f"{_IMAGE}{token.content or source}")
        if inside_link:
            yield words
        else:
            yield Token("link_open", "a", 1, attrs={"href": source})
            yield words
            yield Token("link_close", "a", -1)


def _tell_targets(state: StateCore) -> None:
    for token in state.tokens:
        if token.children:
            token.children = list(_with_targets(token.children))


def _with_targets(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens, and behind each link the target that its words do not tell."""
    target, words = "", ""
    for token in tokens:
        yield token
        if token.type == "link_open":
            target, words = str(token.attrs.get("href", "")), ""
        elif token.type == "link_close":
            if not _is_told(words, target):
                yield Token("link_target", "", 0, content=target)
        else:
            words += token.content


def _is_told(words: str, target: str) -> bool:
    """Whether the words of a link are its target, or it stays on this site."""
    scheme, _, rest = target.partition(":")
    told = words.removeprefix(_IMAGE).strip().rstrip("/")
    spellings = {target.rstrip("/"), rest.removeprefix("//").rstrip("/")}
    return scheme.lower() not in _SCHEMES or told in spellings


def _render_target(_: object, tokens: Sequence[Token], index: int, *_rest: object) -> str:
    target = tokens[index].content
    shown = target if len(target) <= _TARGET_LENGTH else f"{target[:_TARGET_LENGTH]}…"
    return f' <span class="link-target">{escape(shown)}</span>'


def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("js-default", {"html": False, "maxNesting": _MAX_NESTING})
    parser.inline = _BoundedInline()
    parser.core.ruler.push("align_by_class", _align_by_class)
    parser.core.ruler.push("link_images", _link_images)
    parser.core.ruler.push("tell_targets", _tell_targets)
    parser.add_render_rule("link_target", _render_target)
    return parser


_PARSER: Final = _make_parser()
