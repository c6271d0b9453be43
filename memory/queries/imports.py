"""Imports of exports, as those who began them see them (contract I1)."""

from memory.access import begun_by
from memory.models import ImportState, StoreImport
from tenancy.caller import Caller
from wire.errors import NotFound

NO_SUCH_IMPORT = "There is no such import."


def find_import(caller: Caller, store_id: str) -> StoreImport:
    """An import that the caller began, with its store and job.

    Raises:
        NotFound: there is none, somebody else began it, or it was abandoned.
    """
    imports = StoreImport.objects.filter(
        begun_by(caller), workspace=caller.workspace_id, store=store_id
    ).exclude(state=ImportState.ABANDONED)
    found = imports.select_related("store", "job").first()
    if found is None:
        raise NotFound(NO_SUCH_IMPORT)
    return found
