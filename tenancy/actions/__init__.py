"""Writes of tenancy: one durable transaction each, with its audit row."""
