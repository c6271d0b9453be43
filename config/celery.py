"""The Celery application that workers run: `celery --app config.celery worker --beat`."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from jobs.celery import app

__all__ = ["app"]
