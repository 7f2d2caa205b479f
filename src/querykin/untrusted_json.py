"""JSON that somebody else wrote, bounded in depth and number of values; what is wrong with it is one error.

All JSON of files is parsed here, so that nothing that Python's parser may raise reaches a user.
"""

import errno
import json
import os
import stat
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

Kind = TypeVar("Kind")

# Python's own limit is that of its stack, which differs by version; no record of a real file comes near.
MAX_DEPTH = 100
# An empty object needs 2 bytes in a file and 72 in memory: 10 million values are at most about 1 GB.
MAX_VALUES = 10_000_000
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)


class InvalidJson(ValueError):
    """JSON that cannot be used; the message says why."""


def parse_json(data: str | bytes) -> Any:
    """The value of a JSON text in UTF-8; anything wrong with it is an InvalidJson.

    >>> parse_json('{"title": "Java"}')
    {'title': 'Java'}
    >>> parse_json("[" * 101 + "]" * 101)
    Traceback (most recent call last):
    querykin.untrusted_json.InvalidJson: values nested more than 100 deep
    """
    commas, brackets, braces = (b",", b"[", b"{") if isinstance(data, bytes) else (",", "[", "{")
    opened = data.count(brackets) + data.count(braces)  # type: ignore[arg-type]
    if opened + data.count(commas) > MAX_VALUES:  # type: ignore[arg-type]
        raise InvalidJson(f"more than {MAX_VALUES:,} values: write them as several files or lines")
    try:
        value = json.loads(data)
    except RecursionError:
        raise InvalidJson(f"values nested more than {MAX_DEPTH} deep") from None
    except (ValueError, OverflowError, MemoryError) as error:  # UnicodeDecodeError is a ValueError
        raise InvalidJson(str(error)[:200]) from None
    if opened > MAX_DEPTH and _is_deeper(value, MAX_DEPTH):
        raise InvalidJson(f"values nested more than {MAX_DEPTH} deep")
    return value


def read_regular_file(path: Path) -> bytes:
    """The content of a file; an OSError for anything else: a named pipe would be waited for without end."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | _NONBLOCK)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        return file.read()


def read_json(path: Path) -> Any:
    """The value in a JSON file; an InvalidJson if it is none, an OSError if it cannot be read."""
    return parse_json(read_regular_file(path))


def read_json_as(path: Path, kind: type[Kind]) -> Kind:
    """The content of a JSON file as a value of a type, such as `dict[str, list[str]]` or a dataclass.

    What does not fit is an InvalidJson that names the first place.
    """
    data = read_regular_file(path)
    parse_json(data)
    try:
        return TypeAdapter(kind).validate_json(data, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))[:60]
        raise InvalidJson(f"{place}: {first['msg']}" if place else first["msg"]) from None


def _is_deeper(value: Any, depth: int) -> bool:
    level = [value]
    for _ in range(depth):
        level = [
            part
            for each in level
            if isinstance(each, dict | list)
            for part in (each.values() if isinstance(each, dict) else each)
            if isinstance(part, dict | list)
        ]
        if not level:
            return False
    return True
