"""JSON log lines that cannot carry customer text (contract X5)."""

import traceback
from typing import Any

from pythonjsonlogger.json import JsonFormatter as BaseFormatter


class JsonFormatter(BaseFormatter):
    """An exception is logged as its type and the places it passed, never as its message.

    Messages of database and parser errors quote the row or the input, which is customer text.
    """

    def formatException(self, ei: Any) -> str:  # noqa: N802 (the base class names it)
        kind, _, trace = ei
        places = [
            f"{frame.filename}:{frame.lineno} in {frame.name}"
            for frame in traceback.extract_tb(trace)
        ]
        return "\n".join([kind.__qualname__, *places])
