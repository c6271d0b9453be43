"""Threads that start together, each with a database connection of its own."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.db import connections

PATIENCE = 30
"""Seconds that any one of them may take."""


def race[R](*functions: Callable[[], R]) -> list[R | Exception]:
    """Run the functions at once; return what each returned or raised, in their order."""
    together = Barrier(len(functions))

    def run(function: Callable[[], R]) -> R | Exception:
        together.wait(PATIENCE)
        try:
            return function()
        except Exception as error:  # noqa: BLE001 (the test looks at it)
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(functions)) as pool:
        running = [pool.submit(run, function) for function in functions]
        return [future.result(PATIENCE) for future in running]


def outcomes[T](results: Sequence[Any], kind: type[T]) -> list[T]:
    """The results that are of one kind."""
    return [result for result in results if isinstance(result, kind)]
