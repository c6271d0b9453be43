"""How the Console spells identifiers, times, sizes and states."""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import template
from django.template.context import Context
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from console import links
from console.counting import NOTHING_COUNTED, Counted, counted_for
from console.drawing.visible import visible_text
from console.icons import copy_button, icon
from console.navigation import ACCESS, MAIN, Place, here
from console.theme import THEMES, theme_of
from console.times import exact_time, relative_time, waited_time
from memory.diffs.lines import Counts
from memory.trees.hashing import spell_hash

register = template.Library()

NAVIGATIONS = {"main": MAIN, "access": ACCESS}

SHORT = 8
"""Hex digits that a short identifier keeps: the last ones, since a UUIDv7 begins with time."""

NOTHING = "\N{EN DASH}"

UNITS = {"KB": 1_000, "MB": 1_000_000}

IDENTIFIER = re.compile(r"[a-z]+_[0-9a-f]{32}")
IDENTIFIERS = re.compile(f"({IDENTIFIER.pattern})")
BACKTICKS = re.compile(r"`([^`]*)`")

REFUSALS = {
    "review_grant": "they hold no grant of review here",
    "own_credential": "the principal was only named, not signed in",
    "person": "services, Session agents and curators never approve",
    "not_the_author": "authors do not approve their own here",
    "store_active": "the store is archived",
    "open": "it was resolved another way already",
    "seen_as_is": "what they had seen was not this",
    "bodies_available": "a body on one of the sides is erased",
    "settings_unchanged": "the store's settings changed meanwhile",
}
"""Closed word of a refused attempt → what the timeline says."""

TITLE_LENGTH = 110
"""Characters of a message that stand in for a title."""

JOB_TITLES = {
    "store.verify": "Verify a store",
    "store.delete": "Delete a store",
    "store.import": "Import a store",
    "session.erase": "Erase a Session",
    "erasure.read_back": "Erasure report",
    "retention.erase": "Erase all texts",
}
"""Kinds of jobs that people ask for, in their words."""

STATUS_BADGES = {
    "open": ("accent", "inbox", "Open"),
    "stale": ("warn", "exclamation-triangle", "Canonical moved"),
    "approved": ("good", "check-circle", "Approved"),
    "rejected": ("bad", "x-circle", "Rejected"),
    "superseded": ("", "arrow-uturn-right", "Superseded"),
    "active": ("good", "check-circle", "Active"),
    "archived": ("", "archive-box", "Archived"),
    "disabled": ("bad", "no-symbol", "Disabled"),
    "revoked": ("bad", "no-symbol", "Revoked"),
    "expired": ("", "clock", "Expired"),
    "pending": ("info", "clock", "Pending"),
    "cleared": ("good", "check-circle", "Cleared"),
    "deleting": ("warn", "trash", "Deleting"),
    "deleted": ("", "trash", "Deleted"),
    "erased": ("warn", "eye-slash", "Erased"),
    "erasing": ("warn", "eye-slash", "Erasing"),
    "stopped": ("", "stop-circle", "Stopped"),
    "canonical": ("good", "check-badge", "Canonical"),
    "admin": ("accent", "shield-check", "Admin"),
    "queued": ("", "clock", "Queued"),
    "running": ("info", "arrow-path", "Running"),
    "succeeded": ("good", "check-circle", "Done"),
    "failed": ("bad", "x-circle", "Failed"),
    "settled": ("good", "check-circle", "Settled"),
    "partially_settled": ("warn", "exclamation-triangle", "Partly settled"),
    "read_write": ("good", "pencil", "Read and write"),
    "read_only": ("info", "eye", "Read only"),
    "none": ("bad", "no-symbol", "Nothing"),
    "available": ("good", "check-circle", "Available"),
    "fenced": ("warn", "lock-closed", "Switched off"),
    "unavailable": ("", "clock", "Not yet"),
}
"""State → tone, icon and word. The word always stands there; colour only helps."""


@register.simple_tag(takes_context=True)
def theme(context: Context) -> str:
    """The theme that the page is rendered in."""
    request = context.get("request")
    return theme_of(request) if request else "auto"


@register.simple_tag
def themes() -> dict[str, str]:
    """Every theme with its icon."""
    return THEMES


@register.simple_tag
def when(moment: datetime | None) -> SafeString | str:
    """A time: relative to read, exact to hover."""
    if moment is None:
        return NOTHING
    return format_html(
        '<time datetime="{}" title="{}" class="nowrap" data-relative>{}</time>',
        moment.isoformat(),
        exact_time(moment),
        relative_time(moment, timezone.now()),
    )


@register.simple_tag
def waited(moment: datetime) -> SafeString:
    """How long something waits: the time itself to hover."""
    return format_html(
        '<time datetime="{}" title="Since {}" class="nowrap">{}</time>',
        moment.isoformat(),
        exact_time(moment),
        waited_time(moment, timezone.now()),
    )


@register.simple_tag
def exact(moment: datetime) -> SafeString:
    """A time in full, for the places where it is the point."""
    return format_html(
        '<time datetime="{}" class="nowrap">{}</time>', moment.isoformat(), exact_time(moment)
    )


@register.simple_tag
def ident(value: str | None, url: str = "", copy: bool = True) -> SafeString | str:  # noqa: FBT001, FBT002
    """An identifier: short, monospace, linked to what it names, copied in full.

    Args:
        url: where it leads; empty leaves it unlinked.
        copy: whether a copy button stands beside it (not in dense lists).
    """
    if not value:
        return NOTHING
    code = format_html('<code title="{}">{}</code>', value, short_id(value))
    shown = format_html('<a href="{}">{}</a>', url, code) if url else code
    return format_html('<span class="id">{}{}</span>', shown, copy_button(value) if copy else "")


@register.filter
def short_id(value: str) -> str:
    """`memver_…3f9c2a1b`."""
    prefix, _, digits = str(value).rpartition("_")
    return f"{prefix}_…{digits[-SHORT:]}" if prefix else digits


@register.filter
def short_hash(value: str) -> str:
    """`sha256:3f9c2a1b…`, from an algorithm-prefixed hash."""
    algorithm, _, digits = str(value).rpartition(":")
    return f"{algorithm}:{digits[:SHORT]}…" if algorithm else f"{digits[:SHORT]}…"


@register.filter
def size(count: int | None) -> str:
    """Bytes as a person reads them: `812 B`, `1.4 KB`, `3.0 MB` (powers of 1,000)."""
    if count is None:
        return NOTHING
    if count < 1000:
        return f"{count} B"
    unit = "KB" if count < 999_950 else "MB"
    return f"{count / UNITS[unit]:,.1f} {unit}"


@register.filter
def of(key: str, mapping: Mapping[str, Any]) -> Any:
    """What a mapping has for a key; None when it has nothing."""
    return mapping.get(key)


@register.filter
def number(count: int) -> str:
    """An integer with thousands separators."""
    return f"{count:,}"


@register.simple_tag
def badge(label: str, tone: str = "", icon_name: str = "") -> SafeString:
    """A badge: a word, mostly with an icon, coloured by tone."""
    return format_html(
        '<span class="badge"{}>{}{}</span>',
        format_html(' data-tone="{}"', tone) if tone else "",
        icon(icon_name) if icon_name else "",
        label,
    )


@register.simple_tag
def status(state: str) -> SafeString:
    """The badge of a known state."""
    tone, icon_name, label = STATUS_BADGES[str(state)]
    return badge(label, tone, icon_name)


@register.simple_tag
def current(actual: Any, wanted: Any) -> SafeString | str:
    """`aria-current` for the link that leads to where the reader already is."""
    return SafeString('aria-current="page"') if actual == wanted else ""


@register.simple_tag(takes_context=True)
def places(context: Context, which: str = "main") -> list[tuple[Place, bool]]:
    """The links of a navigation, each with whether it is the current one."""
    request = context["request"]
    room = here(request)
    shown = (
        place for place in NAVIGATIONS[which] if request.principal.is_admin or not place.for_admins
    )
    return [(place, room in place.rooms) for place in shown]


@register.simple_tag(takes_context=True)
def counts(context: Context) -> Counted:
    """What the navigation counts; nothing on pages of refusals, and where nobody is signed in."""
    request = context["request"]
    if context.get("is_failure") or not getattr(request, "principal", None):
        return NOTHING_COUNTED
    return counted_for(request)


@register.filter
def basename(path: str) -> str:
    """The last segment of a path."""
    return path.rpartition("/")[2]


@register.filter
def visible(text: str) -> SafeString:
    """Words that somebody wrote, in which nothing hides or turns the reading order."""
    return visible_text(text)


@register.filter
def first_line(text: str) -> str:
    """The first line of a message, shortened."""
    line = text.strip().partition("\n")[0]
    return line if len(line) <= TITLE_LENGTH else f"{line[:TITLE_LENGTH]}…"


@register.filter
def spelled_hash(digest: bytes | None) -> str:
    """A stored digest as `sha256:…`."""
    return spell_hash(digest) if digest else NOTHING


@register.filter
def trimmed(text: str) -> str:
    """A text without white space at its ends."""
    return text.strip()


@register.filter
def detail_value(value: Any) -> str:
    """A value of an audit entry's detail: identifiers short, lists as words."""
    if isinstance(value, list):
        return ", ".join(map(detail_value, value)) or "none"
    if value is None:
        return "none"
    text = str(value)
    if IDENTIFIER.fullmatch(text):
        return short_id(text)
    return short_hash(text) if text.startswith("sha256:") else text


@register.filter
def pretty_json(value: Any) -> str:
    """JSON to read."""
    return json.dumps(value, indent=2, ensure_ascii=False)


@register.filter
def sum_counts(counts: Counts) -> int:
    """All lines that a change touches."""
    return counts.added + counts.removed


@register.filter
def job_title(kind: str) -> str:
    """What a job does, in words; chores of the server go by their kind."""
    return JOB_TITLES.get(kind, kind)


@register.filter
def marked(text: str) -> SafeString:
    """A sentence of the rooms below, with what stands in backticks as code, and IDs short."""
    pieces = BACKTICKS.split(text)
    return format_html_join(
        "",
        "{}",
        (
            (format_html("<code>{}</code>", piece) if index % 2 else _with_short_ids(piece),)
            for index, piece in enumerate(pieces)
        ),
    )


def _with_short_ids(text: str) -> SafeString:
    return format_html_join(
        "",
        "{}",
        (
            (format_html('<code title="{}">{}</code>', part, short_id(part)),)
            if IDENTIFIER.fullmatch(part)
            else (part,)
            for part in IDENTIFIERS.split(text)
        ),
    )


@register.filter
def refusal_words(refusal: str) -> str:
    """Why a response was refused, in words."""
    return REFUSALS[str(refusal)]


register.simple_tag(links.document_url, name="document_url")
register.simple_tag(links.compare_url, name="compare_url")
register.simple_tag(links.file_url, name="file_url")
register.simple_tag(icon)
register.simple_tag(copy_button)
