"""Values of Python objects as JSON has them, since documents are stored as JSON."""

import math
from collections.abc import Mapping
from datetime import date, time
from typing import Any

from querykin.io.characters import sanitize


def plain_value(value: Any) -> Any:
    """A value as None, bool, int, float, str, list or dict; missing values of data frames are None.

    >>> plain_value(date(2024, 1, 2)), plain_value(float("nan")), plain_value((1, b"x"))
    ('2024-01-02', None, [1, 'x'])
    """
    if value is None or value != value:  # NaN and NaT differ from themselves
        return None
    if isinstance(value, str):
        return sanitize(value) if "\0" in value or not value.isascii() else value
    if isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return sanitize(value.decode("utf-8", "replace"))
    if isinstance(value, Mapping):
        return {str(key): plain_value(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain_value(part) for part in value]
    if hasattr(value, "tolist"):  # of NumPy
        return plain_value(value.tolist())
    return str(value)
