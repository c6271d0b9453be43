"""How fast the store is, as ratios to floors that are measured in the same run.

`python -m benchmarks` (or `make bench`) starts a durable PostgreSQL and the production server of
its own, measures, and prints a table; nothing is asserted, because a shared machine is no judge.
"""
