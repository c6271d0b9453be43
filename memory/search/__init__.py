"""Lexical search, as far as it needs no database: words, vectors, queries, snippets."""
