from django.db import models


class Heartbeat(models.Model):
    """When a worker last carried out the message that beat sends for this very purpose."""

    machine = models.TextField(primary_key=True)
    at = models.DateTimeField()
