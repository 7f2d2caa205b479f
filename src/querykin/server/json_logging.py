"""Logging as JSON lines on stderr; texts of users are logged only if the settings allow it."""

import json
import logging
import traceback
from datetime import UTC, datetime
from typing import Any

_STANDARD_ATTRIBUTES = frozenset(vars(logging.makeLogRecord({}))) | {
    "message",
    "asctime",
    "color_message",
    "taskName",
}


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON: time, level, event, worker and the record's extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line of JSON."""
        timestamp = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields: dict[str, Any] = {
            "time": timestamp,
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            "worker": record.process,
        }
        fields |= {name: value for name, value in vars(record).items() if name not in _STANDARD_ATTRIBUTES}
        if record.exc_info and record.exc_info[1]:
            fields["error"], fields["trace"] = _describe_exception(record.exc_info[1])
        return json.dumps(fields, default=str)


def _describe_exception(error: BaseException) -> tuple[str, list[str]]:
    """Type and stack of an exception, without its message, which may contain a user's text."""
    frames = traceback.extract_tb(error.__traceback__)
    return type(error).__name__, [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]


def log_config() -> dict[str, Any]:
    """Configuration for `logging.config.dictConfig`."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": JsonFormatter}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            "python_multipart": {"level": "ERROR"},  # of malformed forms, which the response tells of
            "uvicorn": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
            "querykin.server": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
        },
    }
