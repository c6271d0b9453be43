from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    """A sign-in. What a person may do hangs on their Principal in each Workspace."""

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~models.Q(username=""), name="user_has_a_name"),
        ]
