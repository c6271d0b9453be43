"""The local services of one checkout: PostgreSQL and the web server, and how they start and end."""
