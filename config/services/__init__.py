"""The local services of one checkout, and how they start and end.

PostgreSQL, Valkey, the web server and the worker.
"""
