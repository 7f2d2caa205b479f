"""Parquet and Arrow IPC files (.parquet, .arrow, .feather) as records, a batch of rows at a time."""

import io
from collections.abc import Iterator
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import IO, Any
from weakref import finalize

from querykin.errors import InputError, MissingExtra
from querykin.io import limits
from querykin.io.compression import Unpacked
from querykin.io.record_files import RecordFile
from querykin.io.streams import PIECE
from querykin.io.values import plain_value

_ROWS = 16  # that are Python objects at a time: a text of a dictionary may be that of every row
_FORMS = {"parquet": "Parquet", "arrow": "Arrow"}
_MAGIC = {"parquet": b"PAR1", "arrow": b"ARROW1"}


def open_arrow(file: io.BufferedReader, name: str, kind: str) -> RecordFile:
    """The records of a file; both formats end with the table of their parts, so a stream is stored first."""
    try:
        from arro3.io import read_ipc, read_parquet
    except ImportError:
        raise MissingExtra(f"reading {name}, a {_FORMS[kind]} file,", "arrow") from None

    stored = _stored(file, f"{name}, a {_FORMS[kind]} file,")
    try:
        stored.seek(-len(_MAGIC[kind]), io.SEEK_END)
        if stored.read() != _MAGIC[kind]:
            raise InputError("it is not complete")
        stored.seek(0)
        batches = read_parquet(stored, batch_size=_ROWS) if kind == "parquet" else read_ipc(stored)
    except BaseException as error:
        stored.close()
        raise _readable(error, name, kind) from error
    records = _records(batches, Unpacked(name, stored.seek(0, io.SEEK_END)), name, kind)
    finalize(records, stored.close)
    return RecordFile(_FORMS[kind], list(batches.schema.names), records)


def _stored(file: io.BufferedReader, name: str) -> IO[bytes]:
    """A copy of a file in memory, or on disk if it is large."""
    stored: IO[bytes] = SpooledTemporaryFile(limits.MAX_LINE_BYTES)  # noqa: SIM115
    try:
        for piece in iter(partial(file.read, PIECE), b""):
            stored.write(piece)
            if stored.tell() > limits.MAX_ARROW_BYTES:
                raise InputError(
                    f"{name} has more than {limits.MAX_ARROW_BYTES:,} bytes: write it as several files"
                )
    except BaseException as error:
        stored.close()
        if isinstance(error, OSError):
            reason = error.strerror or error
            raise InputError(f"{name} cannot be copied to the temporary folder: {reason}") from error
        raise
    return stored


def records_of_batches(batches: Any) -> Iterator[dict[str, Any]]:
    """The rows of Arrow record batches, with values as JSON has them."""
    for batch in batches:
        names = batch.schema.names
        for begin in range(0, batch.num_rows, _ROWS):
            columns = batch.slice(begin, min(_ROWS, batch.num_rows - begin)).columns
            for row in zip(*(column.to_pylist() for column in columns), strict=True):
                yield {name: plain_value(value) for name, value in zip(names, row, strict=True)}


def _records(batches: Any, total: Unpacked, name: str, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
    rows = enumerate(records_of_batches(batches), start=1)
    while True:
        try:
            row = next(rows, None)
        except BaseException as error:
            raise _readable(error, name, kind) from error
        if row is None:
            return
        total.add(sum(map(_size, row[1].values())))
        yield row


def _size(value: Any) -> int:
    return len(value) if isinstance(value, str | list | dict) else 1


def _readable(error: BaseException, name: str, kind: str) -> BaseException:
    """An InputError for an error of the library, whose panics on damaged files are not an Exception."""
    if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
        return error
    reason = str(error).splitlines()[0][:200]
    return InputError(f"{name} is a cut or damaged {_FORMS[kind]} file ({reason}): fetch or write it again")
