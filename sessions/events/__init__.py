"""A Session's log: what it tells, in which order, and waiting for more (contract S4)."""
