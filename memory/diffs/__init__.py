"""Comparing texts line by line, and telling who wrote each (contract R3)."""
