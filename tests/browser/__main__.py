"""`python -m tests.cluster python -m tests.browser [PAGE…]`: pictures of the Console's pages."""

import os
import sys

import django

from tests.cluster import SECRET_KEY


def main() -> None:
    """Serve a world of its own in the database at hand, and take its pictures."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    os.environ["SECRET_KEY"] = SECRET_KEY
    os.environ["SECURE_COOKIES"] = "off"
    # Playwright runs an event loop in this very thread, and Django would refuse queries in it.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    django.setup()

    from django.core.management import call_command
    from django.test.utils import override_settings

    from tests.browser.screenshots import capture
    from tests.browser.serving import PLAIN_FILES, served
    from tests.browser.world import make_world

    call_command("migrate", verbosity=0)
    with override_settings(STORAGES=PLAIN_FILES), served() as base:
        capture(base, make_world(), sys.argv[1:])


if __name__ == "__main__":
    main()
