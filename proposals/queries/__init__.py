"""Reads of Proposals. Nothing here writes, and nothing here decides who may respond."""
