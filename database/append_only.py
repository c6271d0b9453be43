"""Append-only tables: PostgreSQL itself refuses their UPDATE and DELETE (contract M3)."""

import pgtrigger
from django.db import connection

DELETING_STORE = "checkfu.deleting_store"
"""Transaction-local setting that names the one store whose rows may be deleted (contract X2)."""


class AppendOnly(pgtrigger.Trigger):
    """Refuses UPDATE always, and DELETE unless this transaction deletes the row's very store.

    Raises `restrict_violation`, which reaches Python as an IntegrityError. The table must
    have a `store_id` column.
    """

    name = "append_only"
    when = pgtrigger.Before
    operation = pgtrigger.Update | pgtrigger.Delete

    def get_func(self, model: object) -> str:
        return f"""
            IF TG_OP = 'DELETE'
               AND OLD.store_id::text = current_setting('{DELETING_STORE}', true) THEN
                RETURN OLD;
            END IF;
            RAISE restrict_violation
                USING MESSAGE = format('%s is append-only', TG_TABLE_NAME);
        """


def allow_deleting(store_uuid: str) -> None:
    """Let the rest of this transaction delete the append-only rows of one store."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config(%s, %s, true)", [DELETING_STORE, store_uuid])
