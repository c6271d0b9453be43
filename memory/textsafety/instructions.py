"""Words that sound like orders to an agent rather than knowledge for it.

A smell and no verdict: a memory may well quote such words, and an attack needs none of them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class _Smell:
    """A way to order an agent about.

    Attributes:
        hints: words in lower case without which the pattern matches nothing; looking for them is
            cheap, and most texts hold none.
    """

    what: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]


def _smell(what: str, hints: tuple[str, ...], pattern: str) -> _Smell:
    return _Smell(what, hints, re.compile(pattern, re.IGNORECASE | re.MULTILINE))


_SMELLS: Final = (
    _smell(
        "sets earlier instructions aside",
        ("ignore", "disregard", "forget", "override"),
        r"\b(?:ignore|disregard|forget|override)\s"
        r"(?:(?:all|any|the|these|your|every|previous|prior|above|earlier|other|of)\s){1,5}"
        r"(?:instructions?|prompts?|rules|directions|guidelines|messages|context)\b",
    ),
    _smell(
        "asks to keep something from people",
        ("don't", "not", "never", "without"),
        r"\b(?:do\snot|don't|never|without)\s"
        r"(?:tell|inform|mention|reveal|notify|ask|alert)(?:ing)?\s(?:\S{1,20}\s){0,3}?"
        r"(?:users?|humans?|reviewers?|anyone|anybody|operators?|people)\b",
    ),
    _smell(
        "speaks to an agent",
        ("you are now", "you must now", "from now on", "as an ai"),
        r"\b(?:you are now|you must now|from now on,? you|as an ai)\b",
    ),
    _smell(
        "speaks to an agent",
        ("agent", "assistant", "model"),
        r"\b(?:attention|(?:note|message|instructions?|orders?) (?:to|for)),? (?:all |any )?"
        r"(?:the )?(?:ai |llm |language )?(?:agents?|assistants?|models?)\b",
    ),
    _smell(
        "looks like a turn of a conversation with a model",
        ("<|", "inst]", "sys>", "system", "assistant:"),
        r"<\|(?:im_start|im_end|system|endoftext)\|>|\[/?INST\]|<</?SYS>>"
        r"|</?system(?:[-_]prompt)?>|^(?:#{1,6} )?(?:system|assistant)(?: prompt)?:",
    ),
    _smell(
        "asks for the system prompt",
        ("system prompt",),
        r"\b(?:reveal|print|repeat|show|output)\s(?:me\s)?(?:your|the)\ssystem\sprompt\b",
    ),
)


def agent_instructions(text: str) -> Iterator[tuple[int, str]]:
    """Where a text sounds as if it ordered an agent about, with how."""
    lowered = text.lower()
    for smell in _SMELLS:
        if any(hint in lowered for hint in smell.hints):
            yield from ((match.start(), smell.what) for match in smell.pattern.finditer(text))
