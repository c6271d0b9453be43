"""What an import leaves behind when it ends: staged pages always, what was built when it fails.

Nothing of it was ever seen, so it goes without an erasure report.
"""

from typing import Final

from django.db import connection

from database.append_only import allow_deleting
from database.transactions import step
from wire.ids import uuid_from_id

BATCH: Final = 2_000

_OF_STORE = """
DELETE FROM {table} WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM {table} WHERE store_id = %s {order} LIMIT %s
))
"""
_OF_ITS = """
DELETE FROM {table} WHERE ctid = ANY(ARRAY(
    SELECT it.ctid FROM {of} JOIN {table} it ON it.{column} = {of}.id
    WHERE {of}.store_id = %s LIMIT %s
))
"""


def _of_store(table: str, order: str = "") -> str:
    return _OF_STORE.format(table=table, order=order)


def _of_documents(table: str) -> str:
    return _OF_ITS.format(table=table, of="memory_documentversion", column="document_version_id")


STAGED: Final = (
    _of_store("memory_importpage"),
    _of_store("memory_importdocument"),
    _of_store("memory_importrevision"),
)
BUILT: Final = (
    _of_documents("memory_documentbody"),
    _of_documents("memory_bodyerasure"),
    _OF_ITS.format(table="memory_versionnote", of="memory_memoryversion", column="version_id"),
    _of_store("memory_versionchange"),
    _of_store("memory_versiontree"),
    _of_store("memory_treepage"),
    _of_store("memory_documentversion"),
    _of_store("memory_memoryversion", "ORDER BY depth DESC"),
    _of_store("memory_pathfence"),
)


@step
def discard_staged(store_id: str) -> bool:
    """Delete some of what was received for an import. Returns whether anything was left."""
    return _delete(store_id, STAGED)


@step
def discard_built(store_id: str) -> bool:
    """Delete some of what an import built in a store that never opened.

    Returns:
        whether anything was left.
    """
    allow_deleting(str(uuid_from_id(store_id)))
    return _delete(store_id, BUILT)


def _delete(store_id: str, statements: tuple[str, ...]) -> bool:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement, [uuid_from_id(store_id), BATCH])
            if cursor.rowcount:
                return True
    return False
