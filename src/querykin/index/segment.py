"""Rows of a repository, written once and mapped into memory.

A segment holds the rows of some queries, by feature or as a matrix. Beside them stands what tells when a row
grows stale: the documents behind it and the score of the last one.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import cast

import numpy as np

from querykin.compiled import Bools, Longs, Reals
from querykin.index.lists import Lists, join_lists, write_lists
from querykin.index.matrix import Matrix, join_matrices, write_matrix
from querykin.storage import load, save
from querykin.vectors import Vectors


class Segment:
    """A segment on disk."""

    def __init__(self, folder: Path) -> None:
        self.rows = Matrix(folder) if (folder / "matrix.npy").exists() else Lists(folder)
        self.numbers: Longs = load(folder, "numbers")  # the query behind each row
        self.sizes: Reals = load(folder, "sizes")  # what the measure needs to know of each row
        self.document_first: Longs = load(folder, "document_first")
        self.documents: Longs = load(folder, "documents")
        self.last_scores: Reals = load(folder, "last_scores")

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def filled(self) -> Bools:
        """Which rows are not empty: those of texts that are covered."""
        return self.rows.filled(len(self))


def write(folder: Path, numbers: Longs, vectors: Vectors, sizes: Reals, document_first: Longs,
          documents: Longs, last_scores: Reals, matrix: bool = False) -> None:  # fmt: skip
    """Write rows as a new segment; their numbers must rise."""
    (write_matrix if matrix else write_lists)(folder, vectors)
    save(folder, numbers=numbers, sizes=sizes, document_first=document_first, documents=documents,
         last_scores=last_scores)  # fmt: skip


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
    else:
        join_lists(folder, [cast(Lists, segment.rows) for segment in segments], renamed)
    sizes = np.concatenate([s.sizes[mask] for s, mask in zip(segments, alive, strict=True)])
    document_first, documents, last_scores = _documents(segments, alive, order)
    save(folder, numbers=numbers[order], sizes=sizes[order], document_first=document_first,
         documents=documents, last_scores=last_scores)  # fmt: skip


def _documents(
    segments: Sequence[Segment], alive: Sequence[Bools], order: Longs
) -> tuple[Longs, Longs, Reals]:
    """The documents behind the living rows, in the order of the joined segment."""
    sizes = np.concatenate([np.diff(s.document_first)[mask] for s, mask in zip(segments, alive, strict=True)])
    kept = [
        s.documents[np.repeat(mask, np.diff(s.document_first))]
        for s, mask in zip(segments, alive, strict=True)
    ]
    scores = np.concatenate([s.last_scores[mask] for s, mask in zip(segments, alive, strict=True)])
    documents = np.concatenate(kept)
    begins = np.cumsum(sizes) - sizes
    first = np.concatenate([[0], np.cumsum(sizes[order])]).astype(np.int64)
    inside = np.arange(len(documents)) - np.repeat(first[:-1], sizes[order])
    return first, documents[np.repeat(begins[order], sizes[order]) + inside], scores[order]
