"""Git histories as a source of versions (contract I2)."""
