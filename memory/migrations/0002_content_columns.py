"""How PostgreSQL keeps the columns of content.

No statistics (X4) of columns whose text an erasure takes: ANALYZE copies frequent values and words
of a column into the catalogue, where no erasure would reach them. The planner does without; paths
are always asked for with their store, by an index that begins with it.

Search vectors stay in the row as long as they fit a page: a search that finds thousands of
documents ranks them all, and fetches each vector in half the time.
"""

from django.db import migrations

CONTENT = {
    "memory_documentbody": ("text", "provenance", "search_vector"),
    "memory_documentversion": ("path",),
    "memory_importdocument": ("path", "text", "provenance"),
    "memory_importpage": ("items",),
    "memory_memorystore": ("name", "description", "metadata", "review_rules"),
    "memory_pathfence": ("path",),
    "memory_storeimport": ("manifest", "error", "result"),
    "memory_treepage": ("paths",),
    "memory_versionchange": ("path",),
    "memory_versionnote": ("message", "source_id", "source_actor"),
    "memory_versiontree": ("first_paths",),
}


def _statistics(target: int) -> str:
    return "".join(
        f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS {target};"
        for table, columns in CONTENT.items()
        for column in columns
    )


def _storage(strategy: str) -> str:
    return f"ALTER TABLE memory_documentbody ALTER COLUMN search_vector SET STORAGE {strategy}"


class Migration(migrations.Migration):
    dependencies = [("memory", "0001_initial")]

    operations = [
        migrations.RunSQL(_statistics(0), _statistics(-1)),
        migrations.RunSQL(_storage("MAIN"), _storage("EXTENDED")),
    ]
