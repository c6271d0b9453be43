"""Sessions: what an agent mounts, reads and writes, and how that is settled (contract §5)."""
