"""Reads of the versioned store. Nothing here writes, and nothing here decides who may ask."""
