"""Records written to stdout one after another: text, TSV, CSV, JSON or JSON lines."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from querykin.io.tables import TableWriter, chunks

_ROWS = 1000  # written at once


def write_records(records: Iterable[Mapping[str, Any]], columns: Sequence[str], form: str) -> None:
    """Write records with these columns; as text, a line has the values that are not empty."""
    if form == "json":
        sys.stdout.write("[")
        for number, record in enumerate(records):
            sys.stdout.write(",\n " if number else "")
            sys.stdout.write(json.dumps(record, ensure_ascii=False))
        sys.stdout.write("]\n")
    elif form == "text":
        for record in records:
            values = (" ".join(str(record[name]).split()) for name in columns)
            sys.stdout.write("  ".join(filter(None, values)) + "\n")
    else:
        writer = TableWriter(sys.stdout, form, columns)
        for rows in chunks(records, _ROWS):
            writer.write(rows, {})
