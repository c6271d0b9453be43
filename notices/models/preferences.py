from django.db import models

from notices.models.notices import NoticeKind
from tenancy.models import Principal


class Channel(models.TextChoices):
    """How a person is told of one kind of things."""

    NONE = "none", "Not at all"
    IN_PAGE = "in_page", "In the Console"
    MAIL = "mail", "In the Console and by e-mail"


class Rhythm(models.TextChoices):
    """How often a person gets a digest."""

    OFF = "off", "Never"
    DAILY = "daily", "Every day"
    WEEKLY = "weekly", "Every Monday"


class Preferences(models.Model):
    """How one person wants to be told, in one Workspace. Without a row all is as the defaults say.

    Attributes:
        address: where e-mail goes; None for nowhere.
        confirmed_at: since when it is known that the address is theirs. Until then it gets the
            letter that asks, and no other.
        assigned: of Proposals that wait for them.
        commented: of comments on their Proposals and in their threads.
        decided: of decisions on what they opened, approved or commented on.
        digest: of all that waits for them.
    """

    principal = models.OneToOneField(
        Principal, models.PROTECT, primary_key=True, related_name="preferences"
    )
    address = models.TextField(null=True)
    confirmed_at = models.DateTimeField(null=True)
    assigned = models.TextField(choices=Channel, default=Channel.MAIL)
    commented = models.TextField(choices=Channel, default=Channel.MAIL)
    decided = models.TextField(choices=Channel, default=Channel.IN_PAGE)
    digest = models.TextField(choices=Rhythm, default=Rhythm.OFF)
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(confirmed_at=None) | models.Q(address__isnull=False),
                name="preferences_confirm_an_address",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    assigned__in=Channel.values,
                    commented__in=Channel.values,
                    decided__in=Channel.values,
                    digest__in=Rhythm.values,
                ),
                name="preferences_in_closed_words",
            ),
        ]
        indexes = [
            models.Index(
                fields=["principal"],
                condition=~models.Q(digest="off"),
                name="preferences_with_digest",
            ),
        ]

    @property
    def mail_address(self) -> str | None:
        """Where letters go: the address, once it is confirmed."""
        return self.address if self.confirmed_at else None

    def channel_of(self, kind: NoticeKind) -> Channel:
        """How they want to be told of a kind of things; approvals that are kept are decisions."""
        if kind == NoticeKind.ASSIGNED:
            return Channel(self.assigned)
        return Channel(self.commented if kind == NoticeKind.COMMENTED else self.decided)
