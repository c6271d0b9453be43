"""Where the pages are that letters link to."""

from django.urls import reverse
from django.utils.http import urlencode

from notices.addresses import register as register_paths


def register() -> None:
    """Let letters link to the Console."""
    register_paths(ConsolePaths())


class ConsolePaths:
    """The Console's routes. `notices.addresses.Paths` tells what each is."""

    def proposal(self, proposal_id: str, comment_id: str | None) -> str:
        """Its review page, where the comment has an anchor."""
        page = reverse("console:proposal", args=[proposal_id])
        return f"{page}#comment-{comment_id}" if comment_id else page

    def queue(self) -> str:
        """The review queue."""
        return reverse("console:queue")

    def preferences(self) -> str:
        """The person's own page about notices."""
        return reverse("console:notices-preferences")

    def confirmation(self, token: str) -> str:
        """A page with one button."""
        return f"{reverse('console:notices-confirm')}?{urlencode({'token': token})}"

    def unsubscription(self, token: str) -> str:
        """A page with one button, which mail programs may press as well (RFC 8058)."""
        return f"{reverse('console:notices-unsubscribe')}?{urlencode({'token': token})}"
