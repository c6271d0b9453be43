"""`python -m config.services up | start | scrub`."""

import sys
from functools import partial

from config.services.errors import ServiceError
from config.services.up import Stopped, leave_terminal, scrub, start_in_background, stay, up


def main(arguments: list[str]) -> int:
    """Run ``up``, ``start`` it in the background, or ``scrub``; return the exit status."""
    match arguments:
        case ["up"]:
            return up(stay)
        case ["up", sender]:
            return up(partial(leave_terminal, int(sender)))
        case ["start"]:
            return start_in_background()
        case ["scrub"]:
            return scrub()
        case _:
            raise ServiceError("Say up, start or scrub.")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Stopped:
        sys.exit(0)
    except ServiceError as error:
        sys.exit(str(error))
    except PermissionError as error:
        sys.exit(f"{error.filename} belongs to another user; start as that user.")
