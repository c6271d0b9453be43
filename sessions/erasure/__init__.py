"""Erasing a Session (contract S7): what goes, by whose job, and what stands in the way."""
