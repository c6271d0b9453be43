"""Replaying changes on another version, by path and inside a document (contract P4)."""
