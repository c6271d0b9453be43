"""How an agent connects: commands with the real values of a Session, and no secret in them."""

import json
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from django.http import HttpRequest

from sessions.models import Access, Mount
from sessions.mounts.resolver import Reason, Resolution

SETTING_UP: Final = """\
export CHECKFU_URL={url}
export CHECKFU_KEY=the-secret-of-a-key-of-this-Session
api() {{
  curl -sS -H "Authorization: Bearer $CHECKFU_KEY" -H "Checkfu-Version: 2026-08-27" \\
       -H "Content-Type: application/json" "$@"
}}"""


@dataclass(frozen=True, slots=True)
class Command:
    """Something to copy into a shell."""

    title: str
    about: str
    text: str


def setting_up(request: HttpRequest) -> Command:
    """The address, the key and a short name for both."""
    url = request.build_absolute_uri("/").rstrip("/")
    return Command(
        "Set up the shell",
        "Once. The secret is shown when a key is made, above.",
        SETTING_UP.format(url=url),
    )


def commands_for(
    mount: Mount,
    resolution: Resolution,
    example: str | None,
    *,
    working_ref: str | None,
    input_id: str | None,
) -> list[Command]:
    """What the agent can do with a mount that it may read.

    Args:
        example: a path that the version holds; None when it is empty.
        working_ref: where the Session's own ref in the store is.
        input_id: the input to work on, where the environment writes natively and there is one.
    """
    here = f"$CHECKFU_URL/v1/sessions/{mount.session_id}/mounts/{mount.position}"
    store = f"$CHECKFU_URL/v1/memory-stores/{mount.store_id}"
    commands = [
        Command(
            "List the documents",
            "Exactly what is mounted now, by path, with hashes and sizes.",
            f'api "{here}/tree"',
        ),
        Command(
            "Download them all",
            "One file, which unpacks where the mount belongs. `format=zip` makes it a zip.",
            f'api "{here}/archive?format=tar" -o memory.tar',
        ),
    ]
    if example:
        commands.append(
            Command(
                "Read one of them",
                "Its text is in `content`.",
                f'api "{store}/document?path={quote(example)}&version={resolution.version}"',
            )
        )
    if resolution.effective == Access.READ_WRITE and input_id:
        commands += _round(mount, input_id)
    elif resolution.effective == Access.READ_WRITE and working_ref:
        commands.append(_checkpoint(store, mount, working_ref))
    elif Reason.SHARED_OWNER in resolution.reasons:
        commands.append(_proposal(store))
    return commands


def _checkpoint(store: str, mount: Mount, working_ref: str) -> Command:
    body = {
        "base_version": working_ref,
        "message": "What this turn learned",
        "operations": [_LEARNED],
    }
    return Command(
        "Checkpoint a turn",
        "Seals what the turn changed on the Session's own working ref. The answer names the new"
        " version, which is the base of the next turn.",
        f'api "{store}/working-refs/{mount.session_id}/checkpoint" \\\n'
        f'  -H "Idempotency-Key: turn-$(date +%s)" -d {_quoted(body)}',
    )


def _round(mount: Mount, input_id: str) -> list[Command]:
    """A round of an input: entered, written in once, and finished (contract S6)."""
    body = {"mount": mount.position, "operations": [_LEARNED]}
    return [
        Command(
            "Enter the next round",
            "Of the last input, once the round before is finished. It reads what those before it"
            " wrote, and nothing newer.",
            f'ROUND=$(api "$CHECKFU_URL/v1/inputs/{input_id}/rounds" \\\n'
            "  -H \"Idempotency-Key: round-$(date +%s)\" -d '{}' |\n"
            "  python3 -c 'import json, sys; print(json.load(sys.stdin)[\"id\"])')",
        ),
        Command(
            "Write, once",
            "A round has one call, by a name of the runtime's own. The same one sent again is told"
            " again; `GET` recovers it when the answer was lost.",
            'api "$CHECKFU_URL/v1/rounds/$ROUND/memory-calls/call-1" \\\n'
            f'  -H "Idempotency-Key: call-$(date +%s)" -d {_quoted(body)}',
        ),
        Command(
            "Finish the round",
            "Then the next one may be entered.",
            'api -X POST "$CHECKFU_URL/v1/rounds/$ROUND/finish"',
        ),
    ]


def _proposal(store: str) -> Command:
    body = {"title": "Something that I learned", "operations": [_LEARNED]}
    return Command(
        "Propose a change",
        "This store is changed by review: a person decides on exactly this.",
        f'api "{store}/proposals" \\\n'
        f'  -H "Idempotency-Key: proposal-$(date +%s)" -d {_quoted(body)}',
    )


_LEARNED: Final = {
    "kind": "put",
    "path": "/learned.md",
    "expected_sha256": None,
    "content": "Ask before you delete.\n",
}


def _quoted(body: object) -> str:
    """JSON in single quotes: nothing of it is a shell's, for it holds none of them."""
    return f"'{json.dumps(body, indent=2)}'"
