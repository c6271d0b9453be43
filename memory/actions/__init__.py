"""Writes of the versioned store: one durable transaction each, with its audit row."""
