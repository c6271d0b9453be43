"""The Celery application, for web processes that offer jobs and for workers that take them.

`celery -A jobs.celery worker -B` runs a worker. The queue carries identifiers of jobs and is never
the truth about them: that is the jobs' rows.
"""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("checkfu-memory")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def _keep_our_logging(**_: Any) -> None:
    """Leave logging as the settings have it; Celery's own would quote exceptions (X5)."""


setup_logging.connect(_keep_our_logging)
