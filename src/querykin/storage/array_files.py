"""Arrays on disk in NumPy's .npy format, written in pieces and memory-mapped."""

import os
import sys
from mmap import MAP_PRIVATE, PROT_READ, PROT_WRITE, mmap
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from querykin.errors import WorkspaceError
from querykin.storage.store import REPAIR_HINT

# MAP_NORESERVE: without it, a private map of a file larger than memory is refused. Pages are never written.
_NO_RESERVE = 0x4000 if sys.platform == "linux" else 0
_HEADER_SIZE = 128  # bytes, reserved until the array's length is known


class ArrayFile:
    """An array written piece by piece, so that it need not fit in memory; `load` reads it."""

    def __init__(self, path: Path, dtype: type[np.generic]) -> None:
        self._dtype, self._size = np.dtype(dtype), 0
        self._file = path.open("wb")
        self._file.write(bytes(_HEADER_SIZE))

    def append(self, values: NDArray[Any]) -> None:
        """Append values."""
        self._file.write(np.ascontiguousarray(values, self._dtype).data)
        self._size += len(values)

    def close(self) -> None:
        """Write the header with the final length."""
        shape = f"{{'descr': '{self._dtype.str}', 'fortran_order': False, 'shape': ({self._size},), }}"
        self._file.seek(0)
        self._file.write(b"\x93NUMPY\x01\x00" + (_HEADER_SIZE - 10).to_bytes(2, "little"))
        self._file.write(shape.ljust(_HEADER_SIZE - 11).encode() + b"\n")
        self._file.close()


def save(folder: Path, **arrays: NDArray[Any]) -> None:
    """Write arrays under their names."""
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", values, allow_pickle=False)


def load(folder: Path, name: str) -> NDArray[Any]:
    """Memory-map an array; nothing is read yet.

    The map is copy-on-write, because numba compiles a second version of every kernel for read-only arrays.
    """
    path = folder / f"{name}.npy"
    try:
        with path.open("rb") as file:
            return _map(file)
    except (ValueError, EOFError) as error:
        raise WorkspaceError(f"{path} is damaged ({error}); {REPAIR_HINT}") from error


def _map(file: BinaryIO) -> NDArray[Any]:
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("not an array of version 1.0")
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    begin, count = file.tell(), int(np.prod(shape))
    if not count:
        return np.empty(shape, dtype)
    if os.fstat(file.fileno()).st_size < begin + count * dtype.itemsize:
        raise ValueError("it is truncated")
    pages = mmap(file.fileno(), 0, flags=MAP_PRIVATE | _NO_RESERVE, prot=PROT_READ | PROT_WRITE)
    return np.frombuffer(pages, dtype, count, begin).reshape(shape)
