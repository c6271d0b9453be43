"""The Celery application, for web processes that offer jobs and for workers that take them.

The queue carries identifiers of jobs and is never the truth about them: that is the jobs' rows.
"""

from typing import Any

from celery import Celery, signals

app = Celery("checkfu-memory")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def _keep_our_logging(**_: Any) -> None:
    """Leave logging as the settings have it; Celery's own would quote exceptions (X5)."""


signals.setup_logging.connect(_keep_our_logging)
