"""Light, dark or as the system says: kept in a cookie, so that the server renders it at once."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

COOKIE = "theme"
THEMES = {"auto": "computer-desktop", "light": "sun", "dark": "moon"}
"""Theme → the icon that stands for it."""

_YEAR = 365 * 24 * 60 * 60


def theme_of(request: HttpRequest) -> str:
    """The chosen theme; `auto` when there is none."""
    chosen = request.COOKIES.get(COOKIE, "auto")
    return chosen if chosen in THEMES else "auto"


def remember_theme(response: HttpResponse, theme: str) -> None:
    """Keep the choice for a year."""
    response.set_cookie(
        COOKIE,
        theme,
        max_age=_YEAR,
        secure=settings.SECURE_COOKIES,
        httponly=True,
        samesite="Lax",
    )
