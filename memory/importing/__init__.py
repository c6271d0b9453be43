"""Imports: an export, checked item by item, becomes a store of its own (contract I1)."""
