"""Versions: sealed from changes on a base, alone or in a row (contract M3)."""
