"""Tables of texts by key, queries or pages, each text once; written in runs and merged like counts."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from querykin.compute.arrays import Int64Array, UInt8Array, gather_bytes, make_indptr
from querykin.logs.sorted_runs import key_ranges
from querykin.storage.array_files import ArrayFile, map_array, offsets_within

MAX_TEXTS = 1 << 19  # texts in memory at once


@dataclass(frozen=True)
class Texts:
    """Texts in memory with ascending keys: text i is arena[ends[i] : ends[i + 1]]."""

    keys: Int64Array
    arena: UInt8Array
    ends: Int64Array

    def __len__(self) -> int:
        return len(self.keys)

    def take(self, positions: Int64Array) -> "Texts":
        """Some of the texts."""
        begins = self.ends[positions]
        indptr = make_indptr(self.ends[positions + 1] - begins)
        return Texts(self.keys[positions], gather_bytes(self.arena, begins, indptr), indptr)

    def decoded(self) -> list[str]:
        """The texts as strings."""
        raw, ends = self.arena.tobytes(), self.ends.tolist()
        return [raw[begin:end].decode("utf-8", "replace") for begin, end in pairwise(ends)]


def _joined(pieces: Sequence[Texts]) -> Texts:
    """The texts of several pieces, each key once."""
    keys = np.concatenate([piece.keys for piece in pieces])
    sizes = np.concatenate([np.diff(piece.ends) for piece in pieces])
    whole = Texts(keys, np.concatenate([piece.arena for piece in pieces]), make_indptr(sizes))
    return whole.take(np.unique(keys, return_index=True)[1])


class TextTable:
    """Texts by ascending key, on disk."""

    def __init__(self, folder: Path) -> None:
        self.keys = map_array(folder, "keys", types=np.int64)
        self._arena = map_array(folder, "arena", types=np.uint8)
        self._ends = map_array(folder, "ends", offsets_within(len(self._arena)), len(self.keys) + 1, np.int64)

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, part: slice) -> Texts:
        ends = self._ends[part.start : part.stop + 1].astype(np.int64)
        return Texts(self.keys[part], self._arena[int(ends[0]) : int(ends[-1])], ends - ends[0])


def merged_texts(tables: Sequence[TextTable], max_rows: int = MAX_TEXTS) -> Iterator[Texts]:
    """The texts of several tables by ascending key, each once."""
    if not tables:
        return
    for slices in key_ranges([table.keys for table in tables], max_rows):
        yield _joined([table[part] for table, part in zip(tables, slices, strict=True)])


def write_texts(folder: Path, pieces: Iterable[Texts]) -> int:
    """Write texts that come by ascending key as a table; returns their number."""
    folder.mkdir()
    keys = ArrayFile(folder / "keys.npy", np.int64)
    arena = ArrayFile(folder / "arena.npy", np.uint8)
    ends = ArrayFile(folder / "ends.npy", np.int64)
    ends.append(np.zeros(1, np.int64))
    count, end = 0, 0
    for piece in pieces:
        keys.append(piece.keys)
        arena.append(piece.arena)
        ends.append(end + piece.ends[1:])
        count, end = count + len(piece), end + int(piece.ends[-1])
    for file in (keys, arena, ends):
        file.close()
    return count


class TextWriter:
    """Texts by key in any order, kept in memory up to a limit and then on disk."""

    def __init__(self, folder: Path, max_texts: int = MAX_TEXTS) -> None:
        self._folder, self._max_texts, self._runs = folder, max_texts, 0
        self._clear()

    def _clear(self) -> None:
        self._known = set[int]()
        self._keys, self._arena, self._ends = array("q"), bytearray(), array("q", [0])

    def add(self, key: int, text: str) -> None:
        """Add a text, unless its key is known."""
        if key in self._known:
            return
        self._known.add(key)
        self._keys.append(key)
        self._arena += text.encode("utf-8", "replace")
        self._ends.append(len(self._arena))
        if len(self._keys) >= self._max_texts:
            self._spill()

    def _texts(self) -> Texts:
        keys, arena = np.array(self._keys, np.int64), np.frombuffer(bytearray(self._arena), np.uint8)
        return Texts(keys, arena, np.array(self._ends, np.int64)).take(np.argsort(keys))

    def _spill(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        write_texts(self._folder / f"run-{self._runs}", [self._texts()])
        self._runs += 1
        self._clear()

    def write(self, folder: Path) -> int:
        """Write the table of all texts; returns their number."""
        self._spill()
        runs = [TextTable(self._folder / f"run-{run}") for run in range(self._runs)]
        return write_texts(folder, merged_texts(runs, self._max_texts))
