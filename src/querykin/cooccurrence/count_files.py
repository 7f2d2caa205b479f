"""The rows of co-occurrence counts on disk: the contexts of consecutive units, and how often each occurs."""

from pathlib import Path
from types import TracebackType

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.cooccurrence.counting import Documents, UnitCounts
from querykin.cooccurrence.phrases import Phrases
from querykin.storage.array_files import ArrayFile, at_least, load, load_offsets, map_array, save, within

KINDS = ("words", "phrases")  # of units


class Rows:
    """The rows of the words or of the phrases of one part, verified by blocks when they are read.

    `units` is the number of rows, if known.
    """

    def __init__(self, folder: Path, kind: str, units: int | None = None) -> None:
        words = len(map_array(folder, "words-marginals"))  # each of which may be a context
        self.contexts = map_array(folder, f"{kind}-contexts", within(0, words), types=np.int32)
        entries = len(self.contexts)
        self.counts = map_array(folder, f"{kind}-counts", at_least(0), entries, np.int32)
        self.marginals: Int64Array = load(folder, f"{kind}-marginals", at_least(0), units, np.int64)
        self.indptr: Int64Array = load_offsets(folder, f"{kind}-indptr", entries, len(self.marginals))

    def row(self, unit: int) -> tuple[Int64Array, Float64Array]:
        """The contexts of a unit and their counts."""
        if unit + 1 >= len(self.indptr):
            return np.zeros(0, np.int64), np.zeros(0)
        part = slice(self.indptr[unit], self.indptr[unit + 1])
        return self.contexts[part].astype(np.int64), self.counts[part].astype(np.float64)


class CountWriter:
    """Writes the rows of the words or of the phrases of one part; a context manager."""

    def __init__(self, folder: Path, kind: str) -> None:
        self._folder, self._kind = folder, kind
        self._contexts = ArrayFile(folder / f"{kind}-contexts.npy", np.int32)
        self._counts = ArrayFile(folder / f"{kind}-counts.npy", np.int32)
        self._sizes, self._marginals = [np.zeros(1, np.int64)], [np.zeros(0, np.int64)]

    def __enter__(self) -> "CountWriter":
        return self

    def append(self, found: UnitCounts, continued: bool = False) -> None:
        """Write the rows of the next units; `continued`: further contexts of the last unit."""
        self._contexts.append(found.contexts)
        self._counts.append(found.counts)
        if continued:
            self._sizes[-1] = self._sizes[-1] + found.sizes
        else:
            self._sizes.append(found.sizes)
            self._marginals.append(found.marginals)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._contexts.close()
        self._counts.close()
        indptr, marginals = np.cumsum(np.concatenate(self._sizes)), np.concatenate(self._marginals)
        save(self._folder, **{f"{self._kind}-indptr": indptr, f"{self._kind}-marginals": marginals})


def write_counts(folder: Path, documents: Documents, phrases: Phrases, distance: int, max_bytes: int) -> None:
    """Count documents and write the rows of all words and phrases."""
    for kind in KINDS:
        counting = (
            documents.words(distance, max_bytes)
            if kind == "words"
            else documents.phrases(phrases, distance, max_bytes)
        )
        with CountWriter(folder, kind) as writer:
            for found in counting:
                writer.append(found)
                del found  # frees its memory for the next one
