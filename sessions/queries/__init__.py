"""Reads of Sessions."""
