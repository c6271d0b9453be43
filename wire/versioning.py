"""What every /v1 request must say and may reach: the dated header and the fence."""

from django.conf import settings
from rest_framework.request import Request

from wire.errors import Fenced, Malformed
from wire.headers import VERSION


def require_dated_version(request: Request) -> None:
    """Check the `Checkfu-Version` header. Raises Malformed when missing or unknown."""
    if request.headers.get(VERSION) not in settings.API_VERSIONS:
        known = " or ".join(settings.API_VERSIONS)
        raise Malformed(f"The header {VERSION} must be {known}.")


def require_versioned_surface() -> None:
    """Raise Fenced while the operator fences all that needs versions."""
    if not settings.VERSIONED_SURFACE:
        raise Fenced("The versioned surface is fenced on this deployment.")
