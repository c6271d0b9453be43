"""Identifiers: a prefix that names the kind, then 32 lowercase hex digits of a UUIDv7."""

import re
from collections.abc import Collection
from typing import Final
from uuid import UUID

import uuid_utils

PREFIXES: Final = {
    "workspace": "wrkspc",
    "principal": "prin",
    "api_key": "akey",
    "agent": "agent",
    "agent_definition": "agent",
    "environment": "env",
    "collaboration_space": "space",
    "permission_assignment": "perm",
    "store": "memstore",
    "version": "memver",
    "document": "mdoc",
    "proposal": "mprop",
    "comment": "mcmt",
    "curation": "mcur",
    "session": "sess",
    "run": "run",
    "input": "inp",
    "round": "rnd",
    "event": "evt",
    "automation": "auto",
    "job": "job",
    "webhook": "whk",
}
"""Kind of resource → ID prefix (contract §0)."""

ALIASES: Final = {"mrev": "memver"}
"""A snapshot is `memver_…` on the live API and `mrev_…` in exports; inputs accept either."""

_ID = re.compile(r"([a-z]+)_([0-9a-f]{32})")


class MalformedId(ValueError):
    """The text is not an identifier of the expected kind."""


def new_id(kind: str) -> str:
    """Return a fresh identifier of `kind`, ordered by the time of its making."""
    return f"{PREFIXES[kind]}_{uuid_utils.uuid7().hex}"


def parse_id(kind: str, text: object) -> str:
    """Return `text` as the live API spells an identifier of `kind`.

    Raises:
        MalformedId: the prefix is another kind's, or the rest is not 32 lowercase hex digits.
    """
    prefix = PREFIXES[kind]
    match = _ID.fullmatch(text) if isinstance(text, str) else None
    if match is None or ALIASES.get(match[1], match[1]) != prefix:
        raise MalformedId(f"expected {prefix}_ followed by 32 lowercase hexadecimal digits")
    return f"{prefix}_{match[2]}"


def kind_among(kinds: Collection[str], text: str) -> str:
    """Return the one of `kinds` whose prefix `text` has.

    Raises:
        MalformedId: it has none of their prefixes.
    """
    prefix = text.partition("_")[0]
    for kind in kinds:
        if PREFIXES[kind] == ALIASES.get(prefix, prefix):
            return kind
    expected = " or ".join(f"{PREFIXES[kind]}_" for kind in kinds)
    raise MalformedId(f"expected {expected} followed by 32 lowercase hexadecimal digits")


def accepted_prefixes(kinds: Collection[str]) -> list[str]:
    """The prefixes that inputs may spell identifiers of `kinds` with."""
    own = [PREFIXES[kind] for kind in kinds]
    return list(dict.fromkeys(own + [alias for alias, prefix in ALIASES.items() if prefix in own]))


def id_from_uuid(kind: str, value: UUID) -> str:
    """Spell a stored UUID as an identifier of `kind`."""
    return f"{PREFIXES[kind]}_{value.hex}"


def uuid_from_id(text: str) -> UUID:
    """Return the UUID inside an identifier of any kind (or a bare UUID's hex).

    Raises:
        MalformedId: there is none.
    """
    match = _ID.fullmatch(text)
    try:
        return UUID(match[2] if match else text)
    except ValueError as error:
        raise MalformedId("not an identifier") from error
