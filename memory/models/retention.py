from django.db import models

from tenancy.models import Workspace


class RetentionPolicy(models.Model):
    """How long a Workspace keeps bodies (contract X3). Without a row, for ever.

    `version` rises with each change; a PATCH names the one it saw (contract M9).
    """

    workspace = models.OneToOneField(
        Workspace, models.PROTECT, primary_key=True, related_name="retention_policy"
    )
    body_lifetime_days = models.IntegerField(null=True)
    """A body's ceiling, set when it is written; None sets none."""
    retire_superseded_after_days = models.IntegerField(null=True)
    """How long a body outlives the last ref that reached it; None for ever."""
    zero_data_retention = models.BooleanField(default=False)
    version = models.IntegerField(default=1)
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(body_lifetime_days=None)
                | models.Q(body_lifetime_days__range=(1, 36_500)),
                name="retention_lifetime_in_range",
            ),
            models.CheckConstraint(
                condition=models.Q(retire_superseded_after_days=None)
                | models.Q(retire_superseded_after_days__range=(1, 36_500)),
                name="retention_retirement_in_range",
            ),
        ]
