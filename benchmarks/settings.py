"""The product's settings with one more route, the floor that requests are compared with."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks.urls"
