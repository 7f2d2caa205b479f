"""The process that reads one Parquet or Arrow file: `python -m querykin.io.arrow_process KIND ROWS MEMORY`.

The library ends the process if a damaged or crafted file makes it ask for more memory than there is, so it
has one of its own. The file is standard input; the columns, then each row, are lines of JSON.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any

from querykin.io.values import plain_value


def rows_of_batches(batches: Any, rows: int) -> Iterator[list[Any]]:
    """The rows of Arrow record batches, with values as JSON has them; only so many are objects at a time."""
    for batch in batches:
        for begin in range(0, batch.num_rows, rows):
            columns = batch.slice(begin, min(rows, batch.num_rows - begin)).columns
            for row in zip(*(column.to_pylist() for column in columns), strict=True):
                yield [plain_value(value) for value in row]


def main(kind: str, rows: int, memory: int) -> None:
    """Write the columns and rows of standard input; the last line is null, or an object with the error."""
    _limit_memory(memory)
    from arro3.io import read_ipc, read_parquet

    try:
        file = open(0, "rb", buffering=0)  # noqa: SIM115 - standard input, which can be sought
        batches = read_parquet(file, batch_size=rows) if kind == "parquet" else read_ipc(file)
        _write(list(batches.schema.names))
        for row in rows_of_batches(batches, rows):
            _write(row)
        _write(None)
    except BrokenPipeError:
        sys.stderr.close()  # the reader needs no more
    except BaseException as error:  # panics of the library are no Exception
        _write({"error": (str(error).splitlines() or [type(error).__name__])[0][:200]})


def _write(value: Any) -> None:
    sys.stdout.buffer.write(json.dumps(value, allow_nan=False).encode() + b"\n")


def _limit_memory(memory: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
