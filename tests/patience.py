"""How long a text made to be slow may take. No measure of speed: `make bench` takes those."""

PATIENCE = 20
"""Seconds of processor time, forty times what any of them takes on an idle machine."""
