"""Arrays on disk in NumPy's .npy format, each with checksums of its blocks in a footer.

Readers of .npy files ignore the footer. Arrays are memory-mapped: `load` verifies all of an array; the blocks
of a large one, mapped by `map_array`, are verified when they are first used.
"""

import math
import re
import sys
from collections.abc import Callable
from mmap import MAP_PRIVATE, PROT_READ, PROT_WRITE, mmap
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray
from xxhash import xxh3_64_digest

from querykin.compute.arrays import BoolArray, Int64Array, grow
from querykin.compute.jit import njit
from querykin.errors import DamagedFile
from querykin.storage.block_checksums import (
    BLOCK_SIZE,
    DIGEST_SIZE,
    BlockHasher,
    append_footer,
    block_of,
    footer,
    read_footer,
)

# MAP_NORESERVE: without it, a private map of a file larger than memory is refused. Pages are never written.
_NO_RESERVE = 0x4000 if sys.platform == "linux" else 0
_HEADER_SIZE = 128  # bytes, of an array of one or two dimensions; reserved until the array's length is known
_ALIGNMENT = 64  # bytes: where the values of an array begin, so that none crosses the border of two blocks
# A header of NumPy's version 1.0 with numbers or booleans in C order; its length is that of its padding.
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(?P<dtype>[<|][biuf][1248])', 'fortran_order': False, "
    rb"'shape': \((?P<shape>\d{0,18}(?:, ?\d{1,18})?,?)\), \} *\n",
    re.DOTALL,
)
Check = Callable[[NDArray[Any]], bool]  # whether consecutive values may be what they are
Types = type[np.generic] | tuple[type[np.generic], ...]  # that the values of an array may have
D = TypeVar("D", bound=np.generic)


class ArrayFile:
    """An array written piece by piece, so that it need not fit in memory; `load` reads it."""

    def __init__(self, path: Path, dtype: type[np.generic]) -> None:
        self._dtype, self._size, self._hasher = np.dtype(dtype), 0, BlockHasher()
        self._start = bytearray()  # the values of the first block, which has the header as well
        self._file = path.open("wb")
        self._file.write(bytes(_HEADER_SIZE))

    def append(self, values: NDArray[Any]) -> None:
        """Append values."""
        piece = np.ascontiguousarray(values, self._dtype).view(np.uint8).data
        self._file.write(piece)
        self._size += len(values)
        missing = BLOCK_SIZE - _HEADER_SIZE - len(self._start)
        self._start += piece[:missing]
        self._hasher.update(piece[missing:])

    def close(self) -> None:
        """Write the footer, and the header with the final length."""
        header = _header((self._size,), self._dtype)
        digests = xxh3_64_digest(header + self._start) + self._hasher.digests()
        self._file.write(footer(digests, _HEADER_SIZE + self._size * self._dtype.itemsize))
        self._file.seek(0)
        self._file.write(header)
        self._file.close()


def save(folder: Path, **arrays: NDArray[Any]) -> None:
    """Write arrays under their names."""
    for name, values in arrays.items():
        array = np.ascontiguousarray(values)
        header, hasher = _header(array.shape, array.dtype), BlockHasher()
        hasher.update(header)
        with (folder / f"{name}.npy").open("wb") as file:
            file.write(header)
            if array.size:
                hasher.update(array.reshape(-1).view(np.uint8).data)
                file.write(array.data)
            file.write(footer(hasher.digests(), len(header) + array.nbytes))


class MatrixFile:
    """A matrix whose rows are written in any order; it need not fit in memory."""

    def __init__(self, path: Path, dtype: type[np.generic], shape: tuple[int, int]) -> None:
        self._path = path
        self.rows: NDArray[Any] = open_memmap(path, "w+", dtype, shape)

    def close(self) -> None:
        """Write the footer."""
        self.rows.flush()  # type: ignore[attr-defined]  # a memmap
        del self.rows
        append_footer(self._path)


def _header(shape: tuple[int, ...], dtype: np.dtype[Any]) -> bytes:
    text = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': {shape}, }}"
    magic = b"\x93NUMPY\x01\x00" + (_HEADER_SIZE - 10).to_bytes(2, "little")
    return magic + text.ljust(_HEADER_SIZE - 11).encode() + b"\n"


class MappedArray(Generic[D]):
    """A memory-mapped array, each block of which is verified when it is first used.

    `check` is whether values may be what they are, such as ids within bounds: it is called with the values of
    a block after its checksum. An array of another type, or of another number of dimensions, is refused: for
    such arrays kernels would be compiled again, or not at all.
    """

    def __init__(
        self, path: Path, check: Check | None = None, types: Types = (), dimensions: int = 1
    ) -> None:
        self.path, self._check = path, check
        try:
            with path.open("rb") as file:
                self._size, self._digests = read_footer(file.fileno())
                # Copy-on-write, because numba compiles a second version of every kernel for read-only arrays.
                pages = mmap(file.fileno(), 0, flags=MAP_PRIVATE | _NO_RESERVE, prot=PROT_READ | PROT_WRITE)
            self._octets = memoryview(pages)[: self._size]
            self._verify_checksum(0)  # of the block with the header
            shape, dtype, self._begin = _parse_header(self._octets)
            if self._begin % _ALIGNMENT or self._begin + _bytes(shape, dtype) != self._size:
                raise ValueError("its header does not describe its values")
            if types and dtype not in (types if isinstance(types, tuple) else (types,)):
                raise ValueError(f"its values are of the type {dtype}")
            if len(shape) != dimensions:
                raise ValueError(f"it has {len(shape)} dimensions instead of {dimensions}")
        except ValueError as error:
            raise DamagedFile(path, str(error)) from error
        count = math.prod(shape)
        self._array: NDArray[D] = np.frombuffer(pages, dtype, count, self._begin).reshape(shape)
        self._step = _bytes(shape[1:], dtype)
        self._verified: BoolArray = np.zeros(len(self._digests) // DIGEST_SIZE, np.bool_)
        self._is_verified = False

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self._array.shape

    @property
    def dtype(self) -> "np.dtype[D]":
        """The type of its values."""
        return self._array.dtype

    def __len__(self) -> int:
        return len(self._array)

    def whole(self) -> NDArray[D]:
        """The array, all of it verified."""
        if not self._is_verified:
            self._verify_blocks(np.flatnonzero(~self._verified))
        return self._array

    def __getitem__(self, key: slice) -> NDArray[D]:
        begin, end, step = key.indices(len(self))
        return self.covering(np.array([begin]), np.array([end]))[begin:end:step]

    def covering(self, begins: Int64Array, ends: Int64Array) -> NDArray[D]:
        """The array, of which only the values (or rows) in these ranges, now verified, may be read."""
        if not self._is_verified:
            first = (self._begin + begins * self._step) // BLOCK_SIZE
            last = (self._begin + ends * self._step - 1) // BLOCK_SIZE
            self._verify_blocks(_unverified(first, last, self._verified))
        return self._array

    def _verify_blocks(self, blocks: Int64Array) -> None:
        for block in blocks.tolist():
            self._verify(block)
        if len(blocks):
            self._is_verified = bool(self._verified.all())

    def _verify(self, block: int) -> None:
        self._verify_checksum(block)
        if self._check:
            begin = block * BLOCK_SIZE - self._begin
            size, end = self._array.itemsize, min(begin + BLOCK_SIZE, self._size - self._begin)
            if not self._check(self._array.reshape(-1)[max(0, begin) // size : end // size]):
                raise DamagedFile(self.path, "it has values that are out of bounds")
        self._verified[block] = True

    def _verify_checksum(self, block: int) -> None:
        at = block * DIGEST_SIZE
        if xxh3_64_digest(block_of(self._octets, block)) != self._digests[at : at + DIGEST_SIZE]:
            raise DamagedFile(self.path, "it differs from what was written")


def _parse_header(octets: memoryview) -> tuple[tuple[int, ...], np.dtype[Any], int]:
    """The shape and the type of an array, and where its values begin; ValueError for any other content."""
    found = _HEADER.match(octets)
    if found is None:
        raise ValueError("it is not an array of version 1.0")
    shape = tuple(int(size) for size in found["shape"].split(b",") if size.strip())
    return shape, np.dtype(found["dtype"].decode()), found.end()


def covering(array: MappedArray[D] | NDArray[D], begins: Int64Array, ends: Int64Array) -> NDArray[D]:
    """An array on disk or in memory, of which only the values in these ranges may be read."""
    return array.covering(begins, ends) if isinstance(array, MappedArray) else array


def map_array(
    folder: Path,
    name: str,
    check: Check | None = None,
    size: int | None = None,
    types: Types = (),
    dimensions: int = 1,
) -> MappedArray[Any]:
    """Memory-map a large array, of which only the header is verified; `size` is its length, if known."""
    array: MappedArray[Any] = MappedArray(folder / f"{name}.npy", check, types, dimensions)
    if size is not None and len(array) != size:
        raise DamagedFile(array.path, f"it has {len(array):,} values instead of {size:,}")
    return array


def load(
    folder: Path,
    name: str,
    check: Check | None = None,
    size: int | None = None,
    types: Types = (),
    dimensions: int = 1,
) -> NDArray[Any]:
    """Memory-map an array and verify it; `size` is its length, if known."""
    return map_array(folder, name, check, size, types, dimensions).whole()


def load_offsets(
    folder: Path, name: str, end: int, size: int | None = None, types: Types = np.int64
) -> NDArray[Any]:
    """Memory-map offsets, which start at 0, never fall, and end at `end`."""
    offsets = load(folder, name, size=None if size is None else size + 1, types=types)
    check_offsets(folder / f"{name}.npy", offsets, end)
    return offsets


def check_offsets(path: Path, offsets: NDArray[Any], end: int) -> None:
    """DamagedFile unless offsets in a file start at 0, never fall, and end at `end`."""
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != end or (offsets[1:] < offsets[:-1]).any():
        raise DamagedFile(path, f"its offsets do not rise from 0 to {end:,}")


def load_ascending(
    folder: Path, name: str, types: Types, check: Check | None = None, size: int | None = None
) -> NDArray[Any]:
    """Memory-map numbers, each larger than the one before."""
    numbers = load(folder, name, check, size, types)
    if (numbers[1:] <= numbers[:-1]).any():
        raise DamagedFile(folder / f"{name}.npy", "its numbers do not ascend")
    return numbers


def within(low: int, end: int) -> Check:
    """A check that values are at least `low` and below `end`.

    >>> within(0, 3)(np.array([0, 2])), within(0, 3)(np.array([3]))
    (True, False)
    """

    def check(values: NDArray[Any]) -> bool:
        return not len(values) or (int(values.min()) >= low and int(values.max()) < end)

    return check


def offsets_within(end: int) -> Check:
    """A check that offsets never fall, and are from 0 to `end`; those of two blocks are not compared."""

    def check(offsets: NDArray[Any]) -> bool:
        if not len(offsets):
            return True
        return bool(offsets[0] >= 0 and offsets[-1] <= end and (offsets[1:] >= offsets[:-1]).all())

    return check


def at_least(low: float) -> Check:
    """A check that values are at least `low`, and neither infinite nor NaN.

    >>> at_least(0)(np.array([0.5])), at_least(0)(np.array([np.nan])), at_least(0)(np.array([np.inf]))
    (True, False, False)
    """

    def check(values: NDArray[Any]) -> bool:
        return not len(values) or (bool(values.min() >= low) and bool(values.max() < np.inf))

    return check


def finite(values: NDArray[Any]) -> bool:
    """Whether no value is infinite or NaN."""
    return bool(np.isfinite(values).all())


def no_nan(values: NDArray[Any]) -> bool:
    """Whether no value is NaN."""
    return not len(values) or not np.isnan(values.min())


def _bytes(shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    return math.prod(shape) * dtype.itemsize


@njit
def _unverified(first: Int64Array, last: Int64Array, verified: BoolArray) -> Int64Array:
    """The blocks from first to last, of each of several ranges, that are not verified; some may repeat."""
    found, count = np.empty(16, np.int64), 0
    for i in range(len(first)):
        for block in range(max(0, first[i]), min(last[i] + 1, len(verified))):
            if not verified[block] and (count == 0 or found[count - 1] != block):
                found = grow(found, count + 1)
                found[count] = block
                count += 1
    return found[:count]
