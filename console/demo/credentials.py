"""What lets people into the demo: made for this one installation, kept in a file for its owner.

A key's secret can be shown only once, and the demo is announced at every start. So its secrets
stand in a file that nobody else can read. Whoever loses the file gets new ones.
"""

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from django.conf import settings

from console.demo.cast import people_of, service_of
from tenancy.actions.keys import create_key, revoke_key
from tenancy.caller import platform_caller
from tenancy.models import ApiKey, Workspace
from tenancy.secrets import digest

KEY: Final = "Support assistant's key"
LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"  # none that is taken for another one
GROUPS, GROUP_LENGTH = 3, 4


@dataclass(frozen=True, slots=True)
class Credentials:
    """The password of the demo's people, and the secret of its API key."""

    password: str
    secret: str


def settle_credentials(workspace: Workspace) -> Credentials:
    """What the file says, when the database knows it; else new ones, in place of the old."""
    path = credentials_path(workspace)
    kept = _read(path)
    if kept is None or find_key(workspace, kept.secret) is None:
        kept = Credentials(_renew_password(workspace), _renew_key(workspace))
        _write(path, kept)
    return kept


def credentials_path(workspace: Workspace) -> Path:
    """The file of a Workspace's demo; the demos of two databases never share one."""
    return Path(settings.STATE_DIR) / f"demo-{workspace.id}.json"


def find_key(workspace: Workspace, secret: str) -> ApiKey | None:
    """The demo's key, revoked or not."""
    keys = ApiKey.objects.select_related("workspace", "principal")
    return keys.filter(workspace=workspace, digest=digest(secret)).first()


def _renew_password(workspace: Workspace) -> str:
    """A password that is easy to type and, with 59 bits, hard to guess."""
    password = "-".join(
        "".join(secrets.choice(LETTERS) for _ in range(GROUP_LENGTH)) for _ in range(GROUPS)
    )
    for person in people_of(workspace):
        assert person.user is not None
        person.user.set_password(password)
        person.user.save(update_fields=["password"])
    return password


def _renew_key(workspace: Workspace) -> str:
    caller = platform_caller(workspace)
    for old in ApiKey.objects.filter(workspace=workspace, name=KEY, revoked_at=None):
        revoke_key(caller=caller, key_id=old.id)
    _, secret = create_key(caller=caller, name=KEY, principal_id=service_of(workspace).id)
    return secret


def _read(path: Path) -> Credentials | None:
    try:
        return Credentials(**json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def _write(path: Path, credentials: Credentials) -> None:
    """Write the file whole or not at all, readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".draft")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(asdict(credentials), file)
    draft.replace(path)
