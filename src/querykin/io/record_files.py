"""Records of files that are not lines of text: Excel workbooks, Parquet and Arrow files, JSON arrays."""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, TypeVar

from querykin.errors import InputError
from querykin.io import limits
from querykin.io.characters import SUSPECT, sanitize_json
from querykin.io.dialects import SAMPLE_CHARACTERS
from querykin.io.file_kinds import kind_of
from querykin.untrusted_json import InvalidJson, parse_json

KINDS = ("xlsx", "parquet", "arrow")
IsHeader = Callable[[Sequence[str]], bool]

_ARRAY = re.compile(rb"\s*\[\s*(?:[{\"\]]|$)")
_ARRAY_OF_ANYTHING = re.compile(rb"\s*\[")
HEADER_RECORDS = 100  # from whose keys the columns of JSON objects are recognized
Line = TypeVar("Line", int, None, int | None)
R = TypeVar("R", bound=Mapping[str, object])


@dataclass(frozen=True)
class RecordFile:
    """Records under named columns, each with its number in the file, read on demand."""

    form: str  # what was read, for messages
    columns: list[str]
    records: Iterator[tuple[int, dict[str, Any]]]
    first_row: int = 1  # the number of the first record in messages


def open_records(file: io.BufferedReader, name: str, is_header: IsHeader) -> RecordFile | None:
    """The records of a workbook, Parquet or Arrow file or JSON array; None for any other file.

    `is_header` tells whether a row of a workbook is the header that is looked for.
    """
    head = file.peek()
    kind = kind_of(head)
    if kind is not None and kind.name == "xlsx":
        from querykin.io.workbooks import open_workbook

        return open_workbook(file, name, is_header)
    if kind is not None and kind.name in ("parquet", "arrow"):
        from querykin.io.arrow_files import open_arrow

        return open_arrow(file, name, kind.name)
    array = _ARRAY_OF_ANYTHING if ".json" in PurePath(name).suffixes[-2:] else _ARRAY
    return _open_array(file, name) if array.match(head) else None


def _open_array(file: io.BufferedReader, name: str) -> RecordFile:
    data = file.read(limits.MAX_LINE_BYTES + 1)
    if len(data) > limits.MAX_LINE_BYTES:
        raise large_array(name)
    try:
        values = parse_json(data)
    except InvalidJson as error:
        raise InputError(f"{name} begins like a JSON array, but is not JSON: {error}") from error
    assert isinstance(values, list)  # it begins with a bracket
    if SUSPECT.search(data):
        values = [sanitize_json(value) for value in values]
    texts = bool(values) and all(isinstance(value, str) for value in values)
    records = [{"query": value} for value in values] if texts else values
    columns = keys_of(record for record in records[:HEADER_RECORDS] if isinstance(record, dict))
    if not columns:
        list(_objects(records[:1], name))  # what is no object is an error before missing columns
    return RecordFile("JSON array", columns, _objects(records, name))


def large_array(name: str) -> InputError:
    """The error for a JSON array that is too large to be held in memory."""
    return InputError(
        f"{name} is one JSON array of more than {limits.MAX_LINE_BYTES:,} bytes: write one object a line "
        "instead, as in: jq -c '.[]' FILE.json > FILE.jsonl"
    )


def first_records(records: Iterator[tuple[Line, R]]) -> list[tuple[Line, R]]:
    """The records from whose keys the columns are recognized, taken from an iterator; few if large."""
    first: list[tuple[Line, R]] = []
    size = 0
    for line, record in records:
        first.append((line, record))
        size += sum(len(value) if isinstance(value, str) else 100 for value in record.values())
        if len(first) == HEADER_RECORDS or size > SAMPLE_CHARACTERS:
            break
    return first


def keys_of(records: Iterable[Mapping[str, object]]) -> list[str]:
    """The distinct keys of records, in the order in which they occur."""
    return list(dict.fromkeys(key for record in records for key in record))


def _objects(values: list[object], name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, value in enumerate(values, start=1):
        if not isinstance(value, dict):
            raise InputError(
                f"{name}, record {number}: a JSON object is needed, got {type(value).__name__}; an array has "
                "objects with the same keys, or only texts"
            )
        yield number, value
