"""The conventions of the REST API (contract §0): identifiers, errors, strict input, paging.

Nothing here knows a table. Everything above speaks to API clients through this room.
"""
