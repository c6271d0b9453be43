"""`python -m benchmarks [--quick] [--json FILE]`."""

import argparse
import sys
from pathlib import Path

from rich.console import Console

from benchmarks.stage import set_stage
from config.services.errors import ServiceError

TABLE_WIDTH = 124


def main(arguments: list[str]) -> None:
    """Measure and tell.

    Raises:
        ServiceError: PostgreSQL or the server cannot be started.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller and coarser, in a minute")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    options = parser.parse_args(arguments)
    with set_stage() as port:
        from benchmarks.run import FULL, QUICK, measure  # noqa: PLC0415 (models load now)

        with Console(stderr=True).status("") as status:
            figures = measure(port, QUICK if options.quick else FULL, status.update)
    from benchmarks.figures import print_table, write_json  # noqa: PLC0415

    print_table(figures, Console(width=max(Console().width, TABLE_WIDTH)))
    if options.json:
        write_json(figures, options.json)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except ServiceError as error:
        sys.exit(str(error))
