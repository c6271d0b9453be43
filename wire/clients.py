"""From where a request comes, as far as that can be told."""

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

from django.conf import settings
from django.http import HttpRequest

LONGEST: Final = 64
"""Characters of an address that is none, as a proxy may give for a socket."""


def client_network(request: HttpRequest) -> str:
    """The client's IPv4 address, or the /64 network that one IPv6 client has for itself.

    Behind a proxy whose headers are trusted, it is what that proxy added to `X-Forwarded-For`:
    all that stands before it was the client's to write.
    """
    text: str = request.META.get("REMOTE_ADDR", "")
    if settings.TRUST_PROXY_HEADERS:
        text = request.headers.get("X-Forwarded-For", text).rpartition(",")[2].strip()
    try:
        address = ip_address(text)
    except ValueError:
        return text[:LONGEST]
    if isinstance(address, IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped or ip_network((address, 64), strict=False))
    return str(address)
