"""Records written to stdout one after another: text, TSV, CSV, JSON or JSON lines."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from querykin.io.safe_csv import csv_line
from querykin.io.tables import TableWriter, chunks
from querykin.types import Explanation

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


def write_table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], form: str) -> None:
    """Write rows for other programs: CSV is for spreadsheets, so that no cell of it is a formula."""
    if form == "csv":
        sys.stdout.write(csv_line(columns))
        sys.stdout.writelines(csv_line([str(row[name]) for name in columns]) for row in rows)
    else:
        write_records(rows, columns, form)


def because(explanation: Explanation) -> str:
    """The shared terms with their shares, as one cell of a table."""
    return "; ".join(f"{part.label}={part.share:.4f}" for part in explanation.contributions)
