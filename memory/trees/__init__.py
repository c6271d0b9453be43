"""The tree of a version as hashed pages of entries (contract M8)."""
