"""Slow work: rows that a queue wakes workers for, taken one batch at a time."""
