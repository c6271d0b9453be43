from django.db import models

from notices.models.notices import Notice
from tenancy.models import Principal


class LetterKind(models.TextChoices):
    """What a letter is about."""

    NOTICE = "notice"
    DIGEST = "digest"
    CONFIRMATION = "confirmation"


class Ending(models.TextChoices):
    """How a letter ended."""

    SENT = "sent"
    DROPPED = "dropped"
    FAILED = "failed"


class Letter(models.Model):
    """An e-mail to a person. What it says is written when it is sent, from what is true then.

    Attributes:
        notice: what it tells of; one letter each.
        day: of a digest: the day, or the Monday of the week, that it is for; one letter each.
        attempts: how often somebody set about sending it.
        due_at: when it may be tried next. Whoever tries it puts this off first.
        ended: how it ended; `dropped` when it had nothing to say to them any more.
    """

    id = models.BigAutoField(primary_key=True)
    principal = models.ForeignKey(Principal, models.PROTECT, related_name="+", db_index=False)
    kind = models.TextField(choices=LetterKind)
    notice = models.OneToOneField(Notice, models.PROTECT, null=True, related_name="letter")
    day = models.DateField(null=True)
    attempts = models.SmallIntegerField(default=0)
    created_at = models.DateTimeField()
    due_at = models.DateTimeField()
    ended = models.TextField(choices=Ending, null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["principal", "day"], name="letter_one_digest_a_day"),
            models.CheckConstraint(
                condition=models.Q(kind="notice", notice__isnull=False, day=None)
                | models.Q(kind="digest", notice=None, day__isnull=False)
                | models.Q(kind="confirmation", notice=None, day=None),
                name="letter_about_one_thing",
            ),
            models.CheckConstraint(
                condition=models.Q(ended=None, ended_at=None)
                | models.Q(ended__in=Ending.values, ended_at__isnull=False),
                name="letter_ended_whole_or_not",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"], condition=models.Q(ended=None), name="letter_to_be_sent"
            ),
        ]
