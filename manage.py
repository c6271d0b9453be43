#!/usr/bin/env python
"""Django's command line."""

import os
import sys

from django.core.management import execute_from_command_line

from config.services.environment import adopt_local_services

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    adopt_local_services(os.environ)
    execute_from_command_line(sys.argv)
