"""Queries as `querykin repository export` writes them, read back with their sources."""

import sys
from collections.abc import Iterator
from io import BufferedReader
from typing import BinaryIO, cast

from querykin.errors import InputError
from querykin.io.inputs import STANDARD_INPUT
from querykin.io.lines import open_text
from querykin.io.tables import read_table
from querykin.untrusted_json import InvalidJson, parse_json

COLUMNS = ("query", "count", "source")
_HEAD_SIZE = 1 << 12  # bytes of standard input that are looked at without being read


def is_query_export(source: str, stdin: BinaryIO | None = None) -> bool:
    """Whether a file has exactly the columns of an export; standard input can still be read afterwards."""
    try:
        if source == STANDARD_INPUT:
            piped = cast(BufferedReader, stdin or sys.stdin.buffer)
            head = piped.peek(_HEAD_SIZE).decode("utf-8", "replace")
        else:
            head = next(open_text(source), "")
    except InputError:
        return False  # the reader of other files says what is wrong
    line = head.partition("\n")[0].rstrip("\r")
    if not line.startswith("{"):
        return line in ("\t".join(COLUMNS), ",".join(COLUMNS))
    try:
        return tuple(parse_json(line)) == COLUMNS
    except (InvalidJson, TypeError):
        return False


def read_query_export(source: str, stdin: BinaryIO | None = None) -> Iterator[tuple[str, int, str]]:
    """The queries of an export with their counts and sources; a row that is not one is an InputError."""
    table = read_table(source, COLUMNS, stdin)
    for number, row in enumerate(table.rows, start=table.first_row):
        try:
            yield str(row["query"]), int(row["count"]), str(row["source"])
        except (KeyError, TypeError, ValueError):
            raise InputError(
                f"{source}, row {number}: an exported query has a text, a count and a source, got "
                f"{str(dict(row))[:120]}"
            ) from None
