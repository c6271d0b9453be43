"""Changing some columns of a row, and telling which."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Model


def apply_changes(row: Model, values: Mapping[str, Any]) -> list[str]:
    """Set the values that are given and differ, without saving; return the fields' names.

    Args:
        values: by field; None leaves a field as it is.
    """
    changed = {
        field: value
        for field, value in values.items()
        if value is not None and value != getattr(row, field)
    }
    for field, value in changed.items():
        setattr(row, field, value)
    return list(changed)
