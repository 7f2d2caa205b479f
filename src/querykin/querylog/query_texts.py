"""The texts of past queries: in UTF-8, one after another, on disk or in memory."""

from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

from querykin.compute.arrays import Int64Array, UInt8Array, gather_bytes, make_indptr
from querykin.errors import DamagedFile
from querykin.querylog.text_order import text_ranks
from querykin.storage.array_files import MappedArray, check_offsets, covering, map_array, offsets_within

_FEW = 500  # queries that are sorted faster as Python objects


@dataclass(frozen=True)
class QueryTexts:
    """The text of query i is arena[ends[i] : ends[i + 1]]; on disk, verified by blocks when it is read."""

    arena: UInt8Array | MappedArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))
    ends: Int64Array | MappedArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))

    @classmethod
    def open(cls, folder: Path, size: int) -> "QueryTexts":
        """Memory-map the texts of so many queries."""
        arena = map_array(folder, "arena", types=np.uint8)
        return cls(arena, map_array(folder, "ends", offsets_within(len(arena)), size + 1, np.int64))

    def decoded(self, ids: Int64Array) -> list[str]:
        """Queries by their ids."""
        try:
            return [text.decode() for text in self.encoded(ids)]
        except UnicodeDecodeError as error:
            assert isinstance(self.arena, MappedArray)
            raise DamagedFile(self.arena.path, str(error)) from error

    def encoded(self, ids: Int64Array) -> list[bytes]:
        """Queries by their ids, in UTF-8."""
        begins, ends = self._ranges(ids)
        indptr = make_indptr(ends - begins)
        raw = gather_bytes(covering(self.arena, begins, ends), begins, indptr).tobytes()
        return [raw[begin:end] for begin, end in pairwise(indptr.tolist())]

    def ranks(self, ids: Int64Array) -> Int64Array:
        """The rank of each query among those given by id, in the order of code points."""
        if len(ids) > _FEW:
            begins, ends = self._ranges(ids)
            return text_ranks(covering(self.arena, begins, ends), begins, ends)
        texts, ranks = self.encoded(ids), np.empty(len(ids), np.int64)
        ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
        return ranks

    def _ranges(self, ids: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Where the texts of queries begin and end."""
        known = covering(self.ends, ids, ids + 2)
        begins, ends = known[ids], known[ids + 1]
        if isinstance(self.ends, MappedArray) and (ends < begins).any():
            raise DamagedFile(self.ends.path, "a query ends before it begins")
        return begins, ends

    def whole(self) -> tuple[UInt8Array, Int64Array]:
        """All texts and where they end, verified."""
        arena = self.arena.whole() if isinstance(self.arena, MappedArray) else self.arena
        if not isinstance(self.ends, MappedArray):
            return arena, self.ends
        ends = self.ends.whole()
        check_offsets(self.ends.path, ends, len(arena))
        return arena, ends

    def plus(self, texts: UInt8Array, indptr: Int64Array) -> "QueryTexts":
        """With more texts, in memory."""
        arena, ends = self.whole()
        return QueryTexts(np.concatenate([arena, texts]), np.concatenate([ends, ends[-1] + indptr[1:]]))
