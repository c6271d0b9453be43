"""Bearer secrets: made once, shown once, kept as a digest."""

import hashlib
import secrets

PREFIX = "ck_"
SECRET_BYTES = 32
HINT_LENGTH = 8


def new_secret() -> str:
    """A fresh key: `ck_` and 43 URL-safe characters (256 bits)."""
    return PREFIX + secrets.token_urlsafe(SECRET_BYTES)


def digest(secret: str) -> bytes:
    """What is stored. A plain SHA-256 is enough: the secret has 256 bits of its own."""
    return hashlib.sha256(secret.encode()).digest()


def hint(secret: str) -> str:
    """The first characters, so that a person can tell keys apart."""
    return secret[:HINT_LENGTH]
