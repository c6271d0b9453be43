"""Holding an import while something is done to it (contract I1)."""

from database.transactions import step
from memory.access import GONE
from memory.models import StoreImport
from wire.errors import NotFound

NO_SUCH_IMPORT = "There is no such import."


@step
def hold_import(store_id: str) -> StoreImport:
    """Lock an import and its store until this transaction ends, so that nobody ends it meanwhile.

    Raises:
        NotFound: its store is being deleted.
    """
    imports = StoreImport.objects.select_related("store", "workspace")
    made = imports.select_for_update(of=("self", "store"), no_key=True).get(store=store_id)
    if made.store.lifecycle in GONE:
        raise NotFound(NO_SUCH_IMPORT)
    return made
