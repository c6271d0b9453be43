"""Writes of this room."""
