"""Rendered documents: safe whatever they say, and readable when they mean well."""

import re
from html.parser import HTMLParser
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.documents.markdown import blocks, render
from tests.patience import PATIENCE

TAGS = {
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "blockquote", "pre", "code", "hr", "br"),
    *("em", "strong", "s", "a", "ul", "ol", "li"),
    *("table", "thead", "tbody", "tr", "th", "td"),
    "span",
}
REL = 'rel="noopener noreferrer nofollow"'


def target(link: str) -> str:
    return f' <span class="link-target">{link}</span>'


FRAGMENTS = st.sampled_from(
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<svg/onload=alert(1)>",
        "<!-- hidden -->",
        "<iframe src='https://x.example'></iframe>",
        "<style>*{}</style>",
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt&#58;alert(1))",
        "[a](data:text/html;base64,PHNjcmlwdD4=)",
        "[a](vbscript:x)",
        "![a](javascript:x)",
        "<javascript:alert(1)>",
        "[a]: javascript:alert(1) 'x'",
        '[a](https://x.example "onmouseover=alert(1)")',
        "[a](https://x.example/\"onmouseover='alert(1))",
        "`<b>`",
        "```html\n<script>\n```",
        "&lt;script&gt;",
        '"><script>',
        "| a | b |\n|:-|-:|\n| <b> | ' |\n",
        "---\nkey: </code><script>\n---\n",
        "\n\n",
        "> ",
        "* ",
        "\u202e",
        "\x00",
    ]
)


class Elements(HTMLParser):
    """Collects what a browser would make of the HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


@given(st.lists(FRAGMENTS | st.text(max_size=8), max_size=12).map("".join))
def test_nothing_but_the_allowed_comes_out(text):
    html = render(text, lambda link: "/resolved")
    for tag, attributes in Elements(html).tags:
        assert tag in TAGS
        assert set(attributes) <= {"href", "rel", "class", "start"}
        if "href" in attributes:
            assert re.match(r"https?:|mailto:|/resolved$", str(attributes["href"]))
            assert attributes["rel"] == "noopener noreferrer nofollow"
        if "class" in attributes:
            assert re.fullmatch("align-(left|center|right)|link-target", str(attributes["class"]))
    assert "<!--" not in html


def test_ordinary_markdown():
    html = render("# Title\n\nSome *words*, ~~struck~~ and `code`.\n\n- one\n- **two**\n")
    assert html == (
        "<h1>Title</h1>\n<p>Some <em>words</em>, <s>struck</s> and <code>code</code>.</p>\n"
        "<ul>\n<li>one</li>\n<li><strong>two</strong></li>\n</ul>\n"
    )


def test_tables_are_aligned_by_class():
    html = render("| a | b |\n|:-:|---|\n| 1 | 2 |\n")
    assert '<th class="align-center">a</th>' in html
    assert "<td>2</td>" in html
    assert "style" not in html


def test_raw_html_is_shown():
    assert render("a <b>bold</b> <!-- note -->") == (
        "<p>a &lt;b&gt;bold&lt;/b&gt; &lt;!-- note --&gt;</p>\n"
    )


def test_images_become_links():
    assert render("![the *plan*](https://x.example/a.png)") == (
        f'<p><a href="https://x.example/a.png" {REL}>image: the *plan*</a>'
        f"{target('https://x.example/a.png')}</p>\n"
    )
    assert render("![](https://x.example/a.png)") == (
        f'<p><a href="https://x.example/a.png" {REL}>image: https://x.example/a.png</a></p>\n'
    )


def test_an_image_inside_a_link_stays_inside_it():
    assert render(
        "[![build](https://x.example/b.svg)](https://y.example) ![c](https://z.example)"
    ) == (
        f'<p><a href="https://y.example" {REL}>image: build</a>{target("https://y.example")} '
        f'<a href="https://z.example" {REL}>image: c</a>{target("https://z.example")}</p>\n'
    )


@pytest.mark.parametrize(
    ("words", "link", "told"),
    [
        ("the bank", "https://bank.example/", False),
        ("https://bank.example", "https://evil.example", False),
        ("https://bank.example", "https://bank.example/", True),
        ("bank.example/login", "https://bank.example/login", True),
        ("`bank.example`", "https://bank.example", True),
        ("write us", "mailto:us@bank.example", False),
        ("us@bank.example", "mailto:us@bank.example", True),
        ("next", "/next.md", True),
    ],
)
def test_a_link_tells_its_target_unless_its_words_do(words, link, told):
    html = render(f"[{words}]({link})", lambda _: "/documents/7")
    assert (target(link) in html) != told
    assert ("link-target" in html) != told


def test_a_target_is_told_in_letters_that_nobody_mixes_up():
    assert target("https://xn--80ak6aa92e.com") in render(
        "[a](https://\u0430\u0440\u0440\u04cf\u0435.com)"
    )


def test_a_long_target_is_cut():
    html = render(f"[a](https://x.example/{'b' * 5_000})")
    assert html.count("b") < 5_200
    assert "b…</span>" in html


@pytest.mark.parametrize("link", ["other.md", "/sign-out", "#part", "?a=b", "../x"])
def test_relative_links_lead_where_the_page_says(link):
    asked = []

    def resolve(found: str) -> str:
        asked.append(found)
        return "/documents/7"

    html = render(f"[a]({link})", resolve)
    assert asked == [link]
    assert f'<a href="/documents/7" {REL}>a</a>' in html
    assert "href" not in render(f"[a]({link})")


@pytest.mark.parametrize("link", ["//x.example/a", "ftp://x.example", "file:///etc/passwd"])
def test_other_links_lead_nowhere(link):
    assert "href" not in render(f"[a]({link})", lambda _: pytest.fail("asked"))


@pytest.mark.parametrize("ending", ["---", "..."])
def test_front_matter_is_code(ending):
    html = render(f"---\ntitle: a <b>\n# note\n{ending}\n# Title\n")
    assert html == "<pre><code>title: a &lt;b&gt;\n# note\n</code></pre>\n<h1>Title</h1>\n"


@pytest.mark.parametrize("text", ["---\n\nwords\n\n---\n", "---\nkey: never closed\n"])
def test_a_rule_is_no_front_matter(text):
    assert render(text).startswith("<hr>")


def test_headings_get_no_ids():
    assert render("# main {#main}\n") == "<h1>main {#main}</h1>\n"


def test_hidden_characters_are_marked_everywhere():
    html = render("a\u202eb `c\u200bd`\n\n```\ne\U000e0041f\n```\n[g\u2066](https://x.example)")
    assert re.findall(r"U\+[0-9A-F]+", html) == ["U+202E", "U+200B", "U+E0041", "U+2066"]


HOSTILE = {
    "brackets": "[" * 102_400,
    "images": "![" * 51_200,
    "brackets, then entities": "[" * 100 + "&" * 102_300,
    "brackets, then lines": "[" * 100 + "a\n" * 51_150,
    "in each paragraph": ("[" * 100 + "&" * 900 + "\n\n") * 100,
    "mixed": "*_~[`" * 20_480,
    "closed": "[" * 51_200 + "]" * 51_200,
    "links in links": "[a](" * 25_600,
    "quotes": ">" * 102_400,
    "quotes, then brackets": ("> " * 90 + "[" * 300 + "\n") * 200,
    "lists in lists": "- " * 51_200,
    "wide table": "|" + "a|" * 20_000 + "\n|" + "-|" * 20_000 + "\n" + "|a\n" * 5_000,
    "backticks": "".join("`" * length + " " for length in range(1, 440)),
    "references": "".join(f"[a{number}]: /x\n" for number in range(9_000)),
    "front matter": "---\na: b\n" + "c\n" * 51_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_documents_take_bounded_time(name):
    start = process_time()
    render(HOSTILE[name])
    # Half a second on an idle machine. What grows faster than its text takes minutes.
    assert process_time() - start < PATIENCE


def test_a_document_too_intricate_to_parse_is_shown_as_source():
    assert render("[" * 100 + "&" * 10_000) == (
        "<pre><code>" + "[" * 100 + "&amp;" * 10_000 + "</code></pre>\n"
    )


def test_blocks_are_the_document():
    text = "---\nkey: value\n---\n# Head\n\nWords\nand more.\n\n- one\n- two\n\n```\ncode\n```\n"
    pieces = blocks(text)
    assert len(pieces) == 5
    assert "".join(pieces) == render(text)
