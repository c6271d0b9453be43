"""Who holds what on some stores: whom a page can name, and whose approvals count."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any, Final
from uuid import UUID

from django.db import connection

from proposals.decisions.tally import Holder, HolderKind
from tenancy.models import TargetKind
from wire.ids import id_from_uuid, uuid_from_id
from wire.times import now

_GRANTED: Final = """
WITH reaching (holder, target_kind, target_uuid, permissions) AS (
    SELECT COALESCE(member.member_uuid, assignment.subject_uuid),
           assignment.target_kind, assignment.target_uuid, assignment.permissions
    FROM tenancy_permissionassignment assignment
    LEFT JOIN tenancy_spacemember member
        ON assignment.subject_kind = 'collaboration_space'
        AND member.space_id = assignment.subject_uuid
    WHERE assignment.workspace_id = %(workspace)s
      AND assignment.subject_kind IN ('principal', 'api_key', 'collaboration_space')
      AND (
          (assignment.target_kind = 'store' AND assignment.target_uuid = ANY(%(stores)s::uuid[]))
          OR (assignment.target_kind = 'workspace' AND assignment.target_uuid = %(workspace)s)
      )
)
SELECT reaching.*, principal.name, principal.kind, api_key.name
FROM reaching
LEFT JOIN tenancy_principal principal
    ON principal.id = reaching.holder AND principal.state = 'active'
LEFT JOIN tenancy_apikey api_key
    ON api_key.id = reaching.holder AND api_key.principal_id IS NULL
    AND api_key.revoked_at IS NULL
    AND (api_key.expires_at IS NULL OR api_key.expires_at > %(now)s)
WHERE principal.id IS NOT NULL OR api_key.id IS NOT NULL
"""
"""What reaches live principals and keys, directly or through a space that they are members of."""


def holders_on(workspace_id: str, store_ids: Collection[str]) -> dict[str, list[Holder]]:
    """Who holds grants on each store or on the Workspace, and is live. One query."""
    known: dict[UUID, tuple[str, str, HolderKind]] = {}
    held: dict[tuple[str, UUID], set[str]] = defaultdict(set)
    for uuid, target_kind, target, permissions, *told in _granted(workspace_id, store_ids):
        known[uuid] = _told(uuid, *told)
        on_store = target_kind == TargetKind.STORE
        for store in [id_from_uuid("store", target)] if on_store else store_ids:
            held[store, uuid].update(permissions)
    found: dict[str, list[Holder]] = defaultdict(list)
    for (store, uuid), permissions in held.items():
        found[store].append(Holder(*known[uuid], frozenset(permissions)))
    return found


def _granted(workspace_id: str, store_ids: Collection[str]) -> list[Any]:
    values: dict[str, Any] = {
        "workspace": uuid_from_id(workspace_id),
        "stores": [uuid_from_id(store) for store in store_ids],
        "now": now(),
    }
    with connection.cursor() as cursor:
        cursor.execute(_GRANTED, values)
        return list(cursor.fetchall())


def _told(
    uuid: UUID, name: str | None, kind: str | None, key_name: str | None
) -> tuple[str, str, HolderKind]:
    """Identifier, name and kind of a holder: a principal, else a key."""
    if kind:
        return id_from_uuid("principal", uuid), name or "", HolderKind(kind)
    return id_from_uuid("api_key", uuid), key_name or "", HolderKind.KEY
