"""Parquet and Arrow IPC files (.parquet, .arrow, .feather) as records, read by a process of their own."""

import io
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from tempfile import TemporaryFile
from typing import IO, Any
from weakref import finalize

from querykin.errors import InputError, MissingExtra
from querykin.io import limits
from querykin.io.compression import Unpacked
from querykin.io.record_files import RecordFile
from querykin.io.streams import PIECE
from querykin.untrusted_json import InvalidJson, parse_json

ROWS = 16  # that are Python objects at a time: a text of a dictionary may be that of every row
_FORMS = {"parquet": "Parquet", "arrow": "Arrow"}
_MAGIC = {"parquet": b"PAR1", "arrow": b"ARROW1"}


def open_arrow(file: io.BufferedReader, name: str, kind: str) -> RecordFile:
    """The records of a file; both formats end with the table of their parts, so a stream is stored first."""
    if ("arro3.io" in sys.modules and sys.modules["arro3.io"] is None) or find_spec("arro3") is None:
        raise MissingExtra(f"reading {name}, a {_FORMS[kind]} file,", "arrow")
    stored = _stored(file, f"{name}, a {_FORMS[kind]} file,")
    with stored:
        size = stored.seek(0, io.SEEK_END)
        stored.seek(-min(size, len(_MAGIC[kind])), io.SEEK_END)
        if stored.read() != _MAGIC[kind]:
            raise _damaged(name, kind, "it is not complete")
        stored.seek(0)
        reading = _Reading(stored, name, kind)
    header = reading.line()
    return RecordFile(_FORMS[kind], header, reading.records(header, Unpacked(name, size)))


class _Reading:
    """The process that reads a file, and its lines."""

    def __init__(self, stored: IO[bytes], name: str, kind: str) -> None:
        self._name, self._kind = name, kind
        command = [
            sys.executable,
            "-m",
            "querykin.io.arrow_process",
            kind,
            str(ROWS),
            str(limits.MAX_ARROW_MEMORY),
        ]
        self._process = subprocess.Popen(
            command, stdin=stored, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._end = finalize(self, _end, self._process)

    def line(self) -> Any:
        """The value of the next line; a process that ended without its last line could not read the file."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline(2 * limits.MAX_LINE_BYTES)
        try:
            value = parse_json(line)
        except InvalidJson:
            self._end()
            raise _damaged(
                self._name, self._kind, f"it needs more than {limits.MAX_ARROW_MEMORY:,} bytes of memory"
            ) from None
        if isinstance(value, dict):
            self._end()
            raise _damaged(self._name, self._kind, str(value.get("error")))
        return value

    def records(self, header: list[str], total: Unpacked) -> Iterator[tuple[int, dict[str, Any]]]:
        """The rows, each with its number."""
        number = 0
        while (row := self.line()) is not None:
            number += 1
            total.add(sum(map(_size, row)))
            yield number, dict(zip(header, row, strict=True))
        self._end()


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _stored(file: io.BufferedReader, name: str) -> IO[bytes]:
    """A copy of a file on disk."""
    stored: IO[bytes] = TemporaryFile()  # noqa: SIM115
    try:
        for piece in iter(partial(file.read, PIECE), b""):
            stored.write(piece)
            if stored.tell() > limits.MAX_ARROW_BYTES:
                raise InputError(
                    f"{name} has more than {limits.MAX_ARROW_BYTES:,} bytes: write it as several files"
                )
        stored.flush()
    except BaseException as error:
        stored.close()
        if isinstance(error, OSError):
            reason = error.strerror or error
            raise InputError(f"{name} cannot be copied to the temporary folder: {reason}") from error
        raise
    return stored


def _size(value: Any) -> int:
    return len(value) if isinstance(value, str | list | dict) else 1


def _damaged(name: str, kind: str, reason: str) -> InputError:
    return InputError(f"{name} is a cut or damaged {_FORMS[kind]} file ({reason}): fetch or write it again")
