"""Writes of Proposals: one durable transaction each, with its audit row."""
