"""REDIS_URL, as each of the libraries that speak to it wants it spelled.

The setting is spelled as redis-py has it: `redis://…`, `rediss://…` or `unix:///path?db=0`.
"""

from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

SCHEMES = ("redis", "rediss", "unix")


def broker_url(url: str) -> str:
    """Spell the address as Celery's transport has it.

    Raises:
        ValueError: it is of no scheme that redis-py knows.
    """
    parts = _split(url)
    if parts.scheme != "unix":
        return url
    query = dict(parse_qsl(parts.query))
    query["virtual_host"] = query.pop("db", "0")
    return f"redis+socket://{parts.netloc}{parts.path}?{urlencode(query)}"


def limits_url(url: str) -> str:
    """Spell the address as the rate limits' storage has it. Raises ValueError as `broker_url`."""
    parts = _split(url)
    return f"redis+{url}" if parts.scheme == "unix" else url


def _split(url: str) -> SplitResult:
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES:
        raise ValueError("REDIS_URL must be redis://…, rediss://… or unix:///path?db=0.")
    return parts
