"""Words that sound like orders to an agent rather than knowledge for it.

A smell and no verdict: a memory may well quote such words, and an attack needs none of them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

type _Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Smell:
    """A way to order an agent about.

    Attributes:
        hints: words in lower case, of each group of which the pattern needs one; looking for them
            is cheap, and most texts lack some.
    """

    what: str
    hints: tuple[_Words, ...]
    pattern: re.Pattern[str]


def _smell(what: str, hints: tuple[_Words, ...], pattern: str) -> _Smell:
    return _Smell(what, hints, re.compile(pattern, re.IGNORECASE | re.MULTILINE))


_SMELLS: Final = (
    _smell(
        "sets earlier instructions aside",
        (
            ("ignore", "disregard", "forget", "override"),
            ("instruction", "prompt", "rules", "directions", "guidelines", "messages", "context"),
        ),
        r"\b(?:ignore|disregard|forget|override)\s"
        r"(?:(?:all|any|the|these|your|every|previous|prior|above|earlier|other|of)\s){1,5}"
        r"(?:instructions?|prompts?|rules|directions|guidelines|messages|context)\b",
    ),
    _smell(
        "asks to keep something from people",
        (
            ("don't", "not", "never", "without"),
            ("tell", "inform", "mention", "reveal", "notify", "ask", "alert"),
            ("user", "human", "reviewer", "anyone", "anybody", "operator", "people"),
        ),
        r"\b(?:do\snot|don't|never|without)\s"
        r"(?:tell|inform|mention|reveal|notify|ask|alert)(?:ing)?\s(?:\S{1,20}\s){0,3}?"
        r"(?:users?|humans?|reviewers?|anyone|anybody|operators?|people)\b",
    ),
    _smell(
        "speaks to an agent",
        (("you are now", "you must now", "from now on", "as an ai"),),
        r"\b(?:you are now|you must now|from now on,? you|as an ai)\b",
    ),
    _smell(
        "speaks to an agent",
        (("agent", "assistant", "model"), ("attention", "note", "message", "instruction", "order")),
        r"\b(?:attention|(?:note|message|instructions?|orders?) (?:to|for)),? (?:all |any )?"
        r"(?:the )?(?:ai |llm |language )?(?:agents?|assistants?|models?)\b",
    ),
    _smell(
        "looks like a turn of a conversation with a model",
        (("<|", "inst]", "sys>", "system>", "prompt>", "system:", "assistant:", "prompt:"),),
        r"<\|(?:im_start|im_end|system|endoftext)\|>|\[/?INST\]|<</?SYS>>"
        r"|</?system(?:[-_]prompt)?>|^(?:#{1,6} )?(?:system|assistant)(?: prompt)?:",
    ),
    _smell(
        "asks for the system prompt",
        (("system",), ("prompt",), ("reveal", "print", "repeat", "show", "output")),
        r"\b(?:reveal|print|repeat|show|output)\s(?:me\s)?(?:your|the)\ssystem\sprompt\b",
    ),
)


def agent_instructions(text: str) -> Iterator[tuple[int, str]]:
    """Where a text sounds as if it ordered an agent about, with how."""
    lowered = text.lower()
    for smell in _SMELLS:
        if all(any(hint in lowered for hint in group) for group in smell.hints):
            yield from ((match.start(), smell.what) for match in smell.pattern.finditer(text))
