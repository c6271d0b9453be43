"""What every room needs of PostgreSQL: column types, transactions, append-only tables."""
