"""Verification: everything that a store claims about itself is computed again and compared.

Found are rows that were edited behind our back, past the database's own guards. What is told are
counts, identifiers and closed words, never a path or a text.
"""
