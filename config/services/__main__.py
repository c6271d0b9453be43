"""`python -m config.services up | start`."""

import sys
from functools import partial

from config.services.errors import ServiceError
from config.services.up import Stopped, leave_terminal, start_in_background, stay, up


def main(arguments: list[str]) -> int:
    """Run ``up`` in the foreground or ``start`` in the background; return the exit status."""
    match arguments:
        case ["up"]:
            return up(stay)
        case ["up", sender]:
            return up(partial(leave_terminal, int(sender)))
        case ["start"]:
            return start_in_background()
        case _:
            raise ServiceError("Say up or start.")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Stopped:
        sys.exit(0)
    except ServiceError as error:
        sys.exit(str(error))
    except PermissionError as error:
        sys.exit(f"{error.filename} belongs to another user; start as that user.")
