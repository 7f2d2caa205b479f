"""Arrays on disk in NumPy's format, written in pieces and read by memory mapping."""

import os
import sys
from mmap import MAP_PRIVATE, PROT_READ, PROT_WRITE, mmap
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from querykin.errors import WorkspaceError
from querykin.storage.store import _MEND

# A private map of a file larger than memory is refused without it; no page is ever written in earnest.
_NO_RESERVE = 0x4000 if sys.platform == "linux" else 0
_HEADER = 128  # bytes: room to write an array's length into its header once it is known


class ArrayFile:
    """An array written piece by piece, so that it never has to fit in memory; read back by `load`."""

    def __init__(self, path: Path, dtype: type[np.generic]) -> None:
        self._dtype, self._size = np.dtype(dtype), 0
        self._file = path.open("wb")
        self._file.write(bytes(_HEADER))

    def append(self, values: NDArray[Any]) -> None:
        """Write more values behind those already there."""
        self._file.write(np.ascontiguousarray(values, self._dtype).data)
        self._size += len(values)

    def close(self) -> None:
        """Write the length into the header: only now is the file an array."""
        shape = f"{{'descr': '{self._dtype.str}', 'fortran_order': False, 'shape': ({self._size},), }}"
        self._file.seek(0)
        self._file.write(b"\x93NUMPY\x01\x00" + (_HEADER - 10).to_bytes(2, "little"))
        self._file.write(shape.ljust(_HEADER - 11).encode() + b"\n")
        self._file.close()


def save(folder: Path, **arrays: NDArray[Any]) -> None:
    """Write arrays under their names."""
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", values, allow_pickle=False)


def load(folder: Path, name: str) -> NDArray[Any]:
    """Map an array into memory: opening costs no reading.

    Copy-on-write, since numba compiles a second version of every kernel for read-only arrays.
    """
    path = folder / f"{name}.npy"
    try:
        with path.open("rb") as file:
            return _mapped(file)
    except (ValueError, EOFError) as error:
        raise WorkspaceError(f"{path} is damaged ({error}); {_MEND}") from error


def _mapped(file: BinaryIO) -> NDArray[Any]:
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("not an array of ours")
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    begin, count = file.tell(), int(np.prod(shape))
    if not count:
        return np.empty(shape, dtype)
    if os.fstat(file.fileno()).st_size < begin + count * dtype.itemsize:
        raise ValueError("it is cut off")
    pages = mmap(file.fileno(), 0, flags=MAP_PRIVATE | _NO_RESERVE, prot=PROT_READ | PROT_WRITE)
    return np.frombuffer(pages, dtype, count, begin).reshape(shape)
