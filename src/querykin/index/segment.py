"""Rows of a repository as inverted lists, written once and mapped into memory.

A segment holds the rows of some queries by term: `rows[first[f] : first[f + 1]]` have feature `features[f]`.
Beside them stands what tells when a row grows stale: the documents behind it and the score of the last one.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from querykin.compiled import Bools, Longs, Reals, Words, compiled
from querykin.storage import load, save
from querykin.vectors import Vectors


class Segment:
    """A segment on disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.features: Longs = load(folder, "features")
        self.first: Longs = load(folder, "first")
        self.rows: Words = load(folder, "rows")
        self.weights: NDArray[np.float32] = load(folder, "weights")
        self.numbers: Longs = load(folder, "numbers")  # the query behind each row
        self.document_first: Longs = load(folder, "document_first")
        self.documents: Longs = load(folder, "documents")
        self.last_scores: Reals = load(folder, "last_scores")

    def __len__(self) -> int:
        return len(self.numbers)


def write(folder: Path, numbers: Longs, vectors: Vectors, document_first: Longs, documents: Longs,
          last_scores: Reals) -> None:  # fmt: skip
    """Write rows as a new segment; their numbers must rise."""
    owners = np.repeat(np.arange(len(vectors), dtype=np.int32), np.diff(vectors.first))
    order = np.lexsort((owners, vectors.features))
    features, sizes = np.unique(vectors.features, return_counts=True)
    save(folder, features=features, first=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
         rows=owners[order], weights=vectors.weights[order].astype(np.float32), numbers=numbers,
         document_first=document_first, documents=documents, last_scores=last_scores)  # fmt: skip


@compiled
def _gather(places: Longs, features: Longs, first: Longs, rows: Words,
            weights: NDArray[np.float32], renamed: Words, fill: Longs, out_rows: Words,
            out_weights: NDArray[np.float32]) -> None:  # fmt: skip
    """Append the lists of one segment to the joined lists, leaving out rows renamed to -1."""
    for f in range(len(features)):
        at = places[f]
        for i in range(first[f], first[f + 1]):
            row = renamed[rows[i]]
            if row >= 0:
                out_rows[fill[at]] = row
                out_weights[fill[at]] = weights[i]
                fill[at] += 1


@compiled
def _order(first: Longs, rows: Words, weights: NDArray[np.float32]) -> None:
    """Put each list into the order of its rows."""
    for f in range(len(first) - 1):
        begin, end = first[f], first[f + 1]
        part = rows[begin:end]
        if (part[1:] < part[:-1]).any():
            order = np.argsort(part)
            rows[begin:end] = part[order].copy()
            weights[begin:end] = weights[begin:end][order].copy()


@compiled
def _list_sizes(
    features: Longs, first: Longs, rows: Words, renamed: Words, places: Longs, sizes: Longs
) -> None:
    for f in range(len(features)):
        for i in range(first[f], first[f + 1]):
            if renamed[rows[i]] >= 0:
                sizes[places[f]] += 1


def join(folder: Path, segments: Sequence[Segment], alive: Sequence[Bools]) -> None:
    """Write the living rows of several segments as one; lists are copied on disk, not held in memory."""
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
    features = np.unique(np.concatenate([segment.features for segment in segments]))
    places = [np.searchsorted(features, segment.features) for segment in segments]
    sizes = np.zeros(len(features), np.int64)
    for segment, names, at in zip(segments, renamed, places, strict=True):
        _list_sizes(segment.features, segment.first, segment.rows, names, at, sizes)
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    rows = _on_disk(folder / "rows.npy", np.int32, int(first[-1]))
    weights = _on_disk(folder / "weights.npy", np.float32, int(first[-1]))
    fill = first[:-1].copy()
    for segment, names, at in zip(segments, renamed, places, strict=True):
        _gather(at, segment.features, segment.first, segment.rows, segment.weights, names, fill,
                rows, weights)  # fmt: skip
    _order(first, rows, weights)
    document_first, documents, last_scores = _documents(segments, alive, order)
    save(folder, features=features, first=first, numbers=numbers[order], document_first=document_first,
         documents=documents, last_scores=last_scores)  # fmt: skip


def _on_disk(path: Path, dtype: type[np.generic], size: int) -> NDArray[Any]:
    """An array to be filled in its file; an empty one cannot be mapped."""
    if not size:
        np.save(path, np.zeros(0, dtype))
        return np.zeros(0, dtype)
    return np.asarray(open_memmap(path, "w+", dtype, (size,)))


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
