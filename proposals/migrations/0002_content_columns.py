"""No statistics (X4) of columns whose text an erasure takes; memory's migration says why."""

from django.db import migrations

WORDS = ("title", "description", "resolution_note")


def _statistics(target: int) -> str:
    return "".join(
        f"ALTER TABLE proposals_proposal ALTER COLUMN {column} SET STATISTICS {target};"
        for column in WORDS
    )


class Migration(migrations.Migration):
    dependencies = [("proposals", "0001_initial")]

    operations = [migrations.RunSQL(_statistics(0), _statistics(-1))]
