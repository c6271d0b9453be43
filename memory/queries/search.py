"""Full-text search at one exact version (contract Q1)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from memory.search.cursors import Rank
from memory.search.queries import SearchQuery
from wire.ids import id_from_uuid, uuid_from_id
from wire.times import now

# `IS TRUE` makes a filter of what would be a join: the planner, which knows nothing of the words,
# would expect few rows and hash the vectors, or loop over thousands.
_SEARCH = """
WITH tree AS MATERIALIZED (
    SELECT entry.id, entry.path, entry.content_sha256
    FROM memory_versiontree t
    JOIN memory_treepage p ON p.id = ANY (t.pages),
         unnest(p.document_versions, p.paths, p.content_hashes) entry (id, path, content_sha256)
    WHERE t.version_id = %(version)s
      {under}
),
matched AS MATERIALIZED (
    SELECT document_version_id AS id,
           (ts_rank_cd(search_vector, %(ranking)s::tsquery) * 1000000)::bigint AS score
    FROM memory_documentbody
    WHERE search_vector @@ %(matching)s::tsquery
      AND (document_version_id IN (SELECT id FROM tree)) IS TRUE
      AND (document_version_id IN (
          SELECT id FROM memory_documentversion
          WHERE store_id = %(store)s AND expires_at <= %(now)s
      )) IS NOT TRUE
),
shown AS (
    SELECT id, tree.path, tree.content_sha256, matched.score
    FROM matched JOIN tree USING (id)
    {behind}
    ORDER BY score DESC, path COLLATE "C"
    LIMIT %(limit)s
),
earliest AS MATERIALIZED (
    SELECT min(expires_at) AS expires_at
    FROM memory_documentversion
    WHERE store_id = %(store)s AND expires_at > %(now)s
      AND (id IN (SELECT id FROM matched)) IS TRUE
)
SELECT shown.id, shown.path, shown.content_sha256, d.expires_at, shown.score,
       earliest.expires_at, b.text
FROM shown
JOIN memory_documentversion d ON d.id = shown.id
JOIN memory_documentbody b ON b.document_version_id = shown.id
CROSS JOIN earliest
ORDER BY shown.score DESC, shown.path COLLATE "C"
"""
_UNDER = """AND (
    entry.path = %(prefix)s
    OR entry.path COLLATE "C" >= %(first)s AND entry.path COLLATE "C" < %(last)s
)"""
_BEHIND = """WHERE (
    score < %(score)s OR score = %(score)s AND path COLLATE "C" > %(path)s
)"""


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that matches.

    Attributes:
        score: in millionths.
        earliest: when the first of all that match expires, if one of them does.
    """

    document_id: str
    path: str
    content_sha256: bytes
    expires_at: datetime | None
    score: int
    earliest: datetime | None
    text: str

    @property
    def rank(self) -> Rank:
        """Where it stands."""
        return Rank(self.score, self.path)


def search(
    store_id: str,
    version_id: str,
    query: SearchQuery,
    *,
    prefix: str | None = None,
    behind: Rank | None = None,
    limit: int,
) -> list[Hit]:
    """The documents of a version that match, best first. One statement.

    A score depends on the document and the query alone: no statistics of the store go into it,
    so later writes change neither the order nor the pages. It is rounded to millionths, and
    equal scores stand in the order of their paths' bytes.

    Args:
        prefix: as `parse_prefix` has it; None for the whole tree.
        behind: continue behind this place.
    """
    arguments: dict[str, Any] = {
        "store": uuid_from_id(store_id),
        "version": uuid_from_id(version_id),
        "ranking": query.ranking,
        "matching": query.matching(uuid_from_id(store_id)),
        "now": now(),
        "limit": limit,
        **(_range(prefix) if prefix else {}),
        **(behind._asdict() if behind else {}),
    }
    statement = _SEARCH.format(under=_UNDER if prefix else "", behind=_BEHIND if behind else "")
    with connection.cursor() as cursor:
        cursor.execute(statement, arguments)
        return [_hit(row) for row in cursor.fetchall()]


def _range(prefix: str) -> dict[str, str]:
    """The prefix itself, and the least and the first higher path of what is in it."""
    directory = prefix.rstrip("/")
    return {"prefix": prefix, "first": directory + "/", "last": directory + chr(ord("/") + 1)}


def _hit(row: tuple[Any, ...]) -> Hit:
    return Hit(
        document_id=id_from_uuid("document", row[0]),
        path=row[1],
        content_sha256=bytes(row[2]),
        expires_at=row[3],
        score=row[4],
        earliest=row[5],
        text=row[6],
    )
