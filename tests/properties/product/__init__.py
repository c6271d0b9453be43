"""The product under the oracle's method names, so that one question can be put to both.

Everything goes through the HTTP API. Versions, Proposals and Sessions are numbers here, as they
are in the oracle: the tables of numbers and identifiers grow with what the product says it made.
"""
