"""What happened? One JSON object a line on stderr; what people asked is in it only if the settings say so."""

import json
import logging
import traceback
from datetime import UTC, datetime
from typing import Any

_KNOWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message", "taskName"}


class JsonLines(logging.Formatter):
    """Writes a record as a line of JSON: time, level, what happened, and what was added to it."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {"time": at, "level": record.levelname.lower(), "event": record.getMessage()}
        line["worker"] = record.process
        line |= {name: value for name, value in vars(record).items() if name not in _KNOWN}
        if record.exc_info and record.exc_info[1]:
            line["error"], line["trace"] = _trace(record.exc_info[1])
        return json.dumps(line, default=str)


def _trace(error: BaseException) -> tuple[str, list[str]]:
    """Where it happened; not the error's words, which may repeat what somebody asked."""
    frames = traceback.extract_tb(error.__traceback__)
    return type(error).__name__, [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]


def configuration() -> dict[str, Any]:
    """For logging.config: everything to stderr as lines of JSON."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": JsonLines}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "loggers": {
            "uvicorn": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
            "querykin.server": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
        },
    }
