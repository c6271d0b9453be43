"""Reads of notices and of how people want to be told."""
