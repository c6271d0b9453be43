"""Writes of Sessions: one durable transaction each, with its audit row."""
