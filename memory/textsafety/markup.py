"""Markup that says something else to those who read the source than to those who read the page."""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

EXCERPT: Final = 80
"""Characters of a text that a finding quotes."""

# A comment that never closes takes the rest of the text, as it does in a browser. The second form
# is a link definition that nothing refers to: renderers drop it, so people hide notes in it.
_COMMENT: Final = re.compile(
    r"<!--(?P<html>.*?)(?:--!?>|\Z)"
    r"|^ {0,3}\[(?:comment|//|_)\]: ?(?:#|<>) ?[\"'(](?P<definition>[^\n]*)",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)

_TARGET: Final = r"<?(?P<{name}>[^\s<>()]{{1,2000}})"
_LINK: Final = re.compile(
    r"\[(?P<words>[^\[\]\n]{1,300})\]\([ \t]*"
    + _TARGET.format(name="inline")
    + r"|\[(?P<named>[^\[\]\n]{1,300})\]\[(?P<label>[^\[\]\n]{1,100})\]"
    + r"|<a\s[^<>]{0,200}?href\s*=\s*[\"']?(?P<href>[^\s\"'<>]{1,2000})[^<>]{0,200}>"
    + r"(?P<anchor>[^<>]{1,300})</a",
    re.IGNORECASE,
)
_OPENINGS: Final = ("](", "][", "<a", "<A")
_DEFINITION: Final = re.compile(
    r"^ {0,3}\[([^\[\]\n]{1,100})\]:[ \t]*<?([^\s<>]{1,2000})", re.MULTILINE
)
_ADDRESS: Final = re.compile(
    r"[*_`<]*(?:https?://)?(?:[^\s/@]*@)?"
    r"(?P<host>(?:[\w-]+\.)+[a-z][\w-]+|localhost|\d+(?:\.\d+){3})(?::\d+)?(?:[/?#]\S*)?",
    re.IGNORECASE,
)
_SCHEMES: Final = {"http", "https", "mailto"}


def comments(text: str) -> Iterator[tuple[int, str]]:
    """Where comments stand that a rendered page leaves out, with how each begins."""
    if "<!--" not in text and "]:" not in text:
        return
    for match in _COMMENT.finditer(text):
        words = (match["html"] or match["definition"] or "").split(maxsplit=EXCERPT)
        yield match.start(), _shorten(" ".join(words)) or "empty"


def misleading_links(text: str) -> Iterator[tuple[int, str]]:
    """Where the words of a link are one address and its target another host's."""
    if not any(opening in text for opening in _OPENINGS):
        return
    definitions: dict[str, str] | None = None
    for match in _LINK.finditer(text):
        words = match["words"] or match["named"] or match["anchor"]
        target = match["inline"] or match["href"]
        if target is None:
            if definitions is None:
                definitions = {label.lower(): to for label, to in _DEFINITION.findall(text)}
            target = definitions.get(match["label"].lower(), "")
        if misleads(words, target):
            yield match.start(), f"{_shorten(words)} leads to {_shorten(target)}"


def misleads(words: str, target: str) -> bool:
    """Whether words are an address, and the target of their link is on another host.

    The name of a file is no address, though it may look like one: `setup.py`.
    """
    address = _ADDRESS.fullmatch(words.strip().rstrip("*_`>"))
    goes_to = host_of(target)
    if address is None or goes_to is None or target.endswith(words.strip()):
        return False
    claimed = address["host"].lower().removeprefix("www.")
    return claimed != goes_to and not goes_to.endswith(f".{claimed}")


def host_of(target: str) -> str | None:
    """The host that a target leads to, or None when it leads to none."""
    try:
        parts = urlsplit(f"https:{target}" if target.startswith("//") else target)
    except ValueError:
        return None
    if parts.scheme.lower() not in _SCHEMES:
        return None
    host = parts.hostname or parts.path.partition("?")[0].rpartition("@")[2]
    return host.lower().removeprefix("www.") or None


def _shorten(text: str) -> str:
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT]}…"
