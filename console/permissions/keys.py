"""Whether an API key still works."""

from tenancy.models import ApiKey
from wire.times import now


def key_state(key: ApiKey) -> str:
    """`active`, `revoked` or `expired`, as badges are called."""
    if key.revoked_at:
        return "revoked"
    return "expired" if key.expires_at and key.expires_at <= now() else "active"
