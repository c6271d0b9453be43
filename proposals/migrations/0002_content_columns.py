"""No statistics (X4) of columns whose text an erasure takes; memory's migration says why."""

from django.db import migrations

WORDS = {
    "proposals_proposal": ("title", "description", "resolution_note"),
    "proposals_comment": ("path", "text"),
    "proposals_proposalapproval": ("note",),
}


def _statistics(target: int) -> str:
    return "".join(
        f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS {target};"
        for table, columns in WORDS.items()
        for column in columns
    )


class Migration(migrations.Migration):
    dependencies = [("proposals", "0001_initial")]

    operations = [migrations.RunSQL(_statistics(0), _statistics(-1))]
