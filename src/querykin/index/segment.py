"""Rows of a repository, written once and mapped into memory.

A segment holds the rows of some queries: by feature, packed, or as a matrix. Beside them stands what tells
when a row grows stale: the documents behind it and the score of the last one.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from querykin.compiled import Bools, Bytes, Longs, Reals, Words
from querykin.index.evidence import Sizes, pack, rearrange, unpack
from querykin.index.lists import Lists, join_lists, write_lists
from querykin.index.matrix import Matrix, join_matrices, write_matrix
from querykin.index.packed import Packed, join_packed, write_packed
from querykin.measures.base import Form
from querykin.storage import load, save
from querykin.vectors import Vectors


class Segment:
    """A segment on disk."""

    def __init__(self, folder: Path) -> None:
        self.rows = _opened(folder)
        self.numbers: Words = load(folder, "numbers")  # the query behind each row
        self.sizes: Reals = load(folder, "sizes")  # what the measure needs to know of each row
        self.last_scores: NDArray[np.float32] = load(folder, "last_scores")  # never more than they were
        self._evidence: tuple[Sizes, Bytes] = load(folder, "document_bytes"), load(folder, "documents")

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def filled(self) -> Bools:
        """Which rows are not empty: those of texts that are covered."""
        return self.rows.filled(len(self))

    def documents(self) -> tuple[Longs, Longs]:
        """The documents behind all rows: the row and the number of each."""
        return unpack(*self._evidence)

    def living(self, alive: Bools) -> tuple[Reals, NDArray[np.float32], Sizes, Bytes]:
        """What is known of some rows: sizes, last scores, and the documents as they are kept."""
        return self.sizes[alive], self.last_scores[alive], *rearrange(*self._evidence, np.flatnonzero(alive))


def _opened(folder: Path) -> Lists | Packed | Matrix:
    if (folder / "matrix.npy").exists():
        return Matrix(folder)
    return Packed(folder) if (folder / "order.npy").exists() else Lists(folder)


def write(folder: Path, numbers: Longs, vectors: Vectors, sizes: Reals, document_first: Longs,
          documents: Longs, last_scores: Reals, form: Form = "lists") -> None:  # fmt: skip
    """Write rows as a new segment; their numbers must rise."""
    {"lists": write_lists, "packed": write_packed, "matrix": write_matrix}[form](folder, vectors)
    _save(folder, numbers, sizes, pack(document_first, documents), _rounded_down(last_scores))


def _save(folder: Path, numbers: Longs, sizes: Reals, evidence: tuple[Sizes, Bytes],
          last_scores: NDArray[np.float32]) -> None:  # fmt: skip
    save(folder, numbers=numbers.astype(np.int32), sizes=sizes, document_bytes=evidence[0],
         documents=evidence[1], last_scores=last_scores)  # fmt: skip


def _rounded_down(scores: Reals) -> NDArray[np.float32]:
    """In single precision: a row may look stale once too often, never once too seldom."""
    near = scores.astype(np.float32)
    return np.where(near > scores, np.nextafter(near, np.float32(-np.inf)), near)


def join(folder: Path, segments: Sequence[Segment], alive: Sequence[Bools]) -> None:
    """Write the living rows of several segments as one."""
    numbers = np.concatenate([segment.numbers[mask] for segment, mask in zip(segments, alive, strict=True)])
    order = np.argsort(numbers, kind="stable")
    new_place = np.empty(len(order), np.int32)
    new_place[order] = np.arange(len(order), dtype=np.int32)
    renamed, base = [], 0
    for mask in alive:
        names = np.full(len(mask), -1, np.int32)
        count = int(mask.sum())
        names[mask] = new_place[base : base + count]
        renamed.append(names)
        base += count
    if isinstance(segments[0].rows, Matrix):
        join_matrices(folder, [cast(Matrix, segment.rows) for segment in segments], renamed)
    elif isinstance(segments[0].rows, Packed):
        join_packed(folder, [cast(Packed, segment.rows) for segment in segments], renamed)
    else:
        join_lists(folder, [cast(Lists, segment.rows) for segment in segments], renamed)
    kept = [segment.living(mask) for segment, mask in zip(segments, alive, strict=True)]
    sizes, last_scores, document_bytes, documents = map(np.concatenate, zip(*kept, strict=True))
    evidence = rearrange(document_bytes, documents, order)
    _save(folder, numbers[order], sizes[order], evidence, last_scores[order])
