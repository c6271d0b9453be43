"""Exports: a store's whole graph in one response, or page by page (contract E1-E3)."""
