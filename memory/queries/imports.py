"""Imports of exports, as those who began them see them (contract I1)."""

from memory.access import GONE, begun_by
from memory.importing.holding import NO_SUCH_IMPORT
from memory.models import StoreImport
from tenancy.caller import Caller
from wire.errors import NotFound


def find_import(caller: Caller, store_id: str) -> StoreImport:
    """An import that the caller began, with its store and job.

    Raises:
        NotFound: there is none, somebody else began it, or its store is deleted.
    """
    imports = StoreImport.objects.filter(
        begun_by(caller), workspace=caller.workspace_id, store=store_id
    ).exclude(store__lifecycle__in=GONE)
    found = imports.select_related("store", "job").first()
    if found is None:
        raise NotFound(NO_SUCH_IMPORT)
    return found
