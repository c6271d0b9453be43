"""Changes that wait for a person (contract §4)."""
