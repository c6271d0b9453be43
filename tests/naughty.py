"""Texts that break what is careless with them, by what they try. Written here, not collected."""

from random import Random
from typing import Final

BIDI: Final = {
    "stretched string": 'if access != "user\u202e \u2066// only admins\u2069 \u2066" {',
    "early return": "'''Pays back. \u2066'''; return\u2069 0",
    "comment that ends elsewhere": "/*\u202e } \u2066if admin\u2069 \u2066 begin admins only */",
    "unclosed override": "\u202egnp.exe",
    "unclosed isolates": "\u2066\u2067\u2068" * 50,
    "marks": "a\u200eb\u200fc\u061cd",
    "right to left words": "\u05e9\u05dc\u05d5\u05dd 123 \u0645\u0631\u062d\u0628\u0627 (x) [y]",
}

INVISIBLE: Final = {
    "zero width": "pass\u200bword \u200cad\u200dmin\u2060 \ufeffend",
    "soft hyphens": "ig\u00adnore th\u00adis",
    "fillers": "\u3164\u115f\u1160\uffa0",
    "tag characters": "fine" + "".join(chr(0xE0000 + ord(letter)) for letter in "obey me"),
    "selector bytes": "ok" + "".join(chr(0xE0100 + byte) for byte in b"hidden"),
    "controls": "bell\x07 escape\x1b[31mred\x1b[0m back\x08\x08 \x9b31m",
    "separators": "one\u2028two\u2029three\x0bfour\x0cfive\x85six",
    "lone return": "shown\rover",
}

LOOKALIKES: Final = {
    "cyrillic": "p\u0430yp\u0430l.example",
    "greek": "g\u03bf\u03bfgle.example",
    "mathematical": "\U0001d429\U0001d41apal",
    "full width": "\uff41dmin",
}

MARKUP: Final = {
    "script": "<script>window.owned = 1; alert(1)</script>",
    "handler": "<img src=x onerror=alert(1)>",
    "closing": "</td></tr></table></textarea></title></style></script><svg onload=alert(1)>",
    "attribute": "\" autofocus onfocus=alert(1) x=\"' onmouseover='alert(1)",
    "frame": "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "base": '<base href="https://evil.example/"><link rel=stylesheet href=//evil.example/x>',
    "form": '<form action=https://evil.example><button autofocus formaction="javascript:alert(1)">',
    "meta": '<meta http-equiv=refresh content="0;url=https://evil.example">',
    "htmx": '<b hx-get="/sign-out" hx-trigger="load" data-copy="x" data-opens="key-help">b</b>',
    "entities": "&lt;script&gt; &#60;script&#62; &amp;lt; &\u0000",
    "template": "{{ request.user.password }} {% csrf_token %} ${7*7} #{7*7} <%= 7 %>",
    "comment": "<!-- <script>alert(1)</script> --!> <![CDATA[ x ]]>",
    "markdown": "[a](javascript:alert(1)) ![b](data:text/html,x) <javascript:alert(1)>",
    "angle": "<" * 2_000,
}

SHAPES: Final = {
    "long word": "w" * 5_000,
    "long line of words": "word " * 4_000,
    "stacked marks": "Z" + "\u0351\u0348\u034d\u0320" * 400,
    "wide": "\ufdfd" * 100 + "\U00012219" * 100,
    "blanks": "\u00a0\u2003\u3000\t" * 300,
    "emoji": "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f3f3\ufe0f\u200d\U0001f308" * 60,
    "numbers": "NaN 1e309 -0 0x7fffffff 1;DROP TABLE x; 00:00:00",
    "nothing": "",
    "one newline": "\n",
    "no newline": "end",
    "returns": "a\r\nb\r\n",
}

_COINS: Final = Random(7)

SIZES: Final = {
    "one line of 100 KB": "x" * 102_400,
    "one line of 100 KB of words": "lorem " * 17_066,
    "50,000 lines of two symbols": "".join(f"{_COINS.choice('ab')}\n" for _ in range(50_000)),
    "every line hides something": "\u200b\n" * 25_000,
    "a secret on every line": f"{'ghp_' + 'x7Kq2mZp9LrT4vBn8Wc3Yd6Fg1Hj5Sa0QeUi'}\n" * 2_400,
}

BODIES: Final = {
    f"{kind}: {name}": text
    for kind, texts in {
        "bidi": BIDI,
        "invisible": INVISIBLE,
        "look-alike": LOOKALIKES,
        "markup": MARKUP,
        "shape": SHAPES,
    }.items()
    for name, text in texts.items()
    if "\x00" not in text
}

LINES: Final = {
    name: line
    for name, text in BODIES.items()
    if (line := " ".join(text.split())[:180].strip())
    and not any(ord(letter) < 0x20 or 0x7F <= ord(letter) < 0xA0 for letter in line)
}
"""What fits a title or a name: one line of at most 200 characters, without control codes."""

PATHS: Final = (
    "/a b/\u05e9\u05dc\u05d5\u05dd.md",
    "/<img src=x onerror=alert(1)>.md",
    "/\"' onmouseover=alert(1) x='.md",
    "/{{ 7 }}{% x %}.md",
    "/p\u0430ypal/%2e%2e%2f%00.md",
    "/&lt;b&gt;&amp;.md",
    f"/{'d' * 200}/{'e' * 200}/{'f' * 200}.md",
    f"/{'/'.join('abcdefghijklmnopqrstuvwxyz')}.md",
    "/javascript:alert(1).md",
    "/?version=x#y&path=z.md",
)
