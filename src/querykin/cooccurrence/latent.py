"""Latent word vectors: truncated SVD of positive pointwise mutual information.

The PPMI of the most frequent words with each other, with context distribution smoothing and symmetric
weighting of the singular values (Levy, Goldberg & Dagan 2015), gives every word a short dense vector.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NotRequired

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.compute.threads import limit_blas_threads
from querykin.cooccurrence.counts import CooccurrenceCounts
from querykin.cooccurrence.limits import DISTANCE
from querykin.errors import DamagedFile
from querykin.storage.array_files import at_least, finite, load, load_ascending, save
from querykin.storage.metadata import Number, check_metadata
from querykin.storage.store import Manifest, Store

if TYPE_CHECKING:
    from scipy.sparse import csr_array

WORDS = 50_000  # the most frequent; rarer ones have too few co-occurrences
DIMENSIONS = 200
CONTEXT_POWER = 0.75  # smooths the distribution of contexts
_STEP = 2000  # rows of the matrix computed at once


class _Metadata(TypedDict):
    """The metadata of the store."""

    part: str
    counts_version: str
    corpus_id: str
    distance: NotRequired[Number]  # of the co-occurrence counts


class LatentVectors:
    """Word vectors on disk, computed from co-occurrence counts."""

    def __init__(self, path: Path) -> None:
        self._store = Store(path, "latent")
        self._store.read(self._load)

    def _load(self, manifest: Manifest) -> None:
        self.version = f"{manifest.store_id} {manifest.generation}"
        self.counts_version, self.distance = "", DISTANCE  # of the co-occurrence counts
        self.store_id = ""  # of the corpus
        self.words: Int64Array = np.zeros(0, np.int64)  # numbers of the vocabulary, ascending
        self.vectors: NDArray[np.float32] = np.zeros((0, 0), np.float32)
        self.probabilities: Float64Array = np.zeros(0)
        if manifest.metadata:
            self._open(check_metadata(self._store, manifest.metadata, _Metadata))

    def _open(self, metadata: _Metadata) -> None:
        self.counts_version, self.store_id = metadata["counts_version"], metadata["corpus_id"]
        self.distance = metadata.get("distance", DISTANCE)
        part = self._store.part(metadata["part"])
        self.words = load_ascending(part, "words", np.int64)
        size = len(self.words)
        self.vectors = load(part, "vectors", finite, size, np.float32, dimensions=2)
        self.probabilities = load(part, "probabilities", at_least(0), size, np.float64)
        if self.vectors.shape[1] > DIMENSIONS:
            raise DamagedFile(part / "vectors.npy", f"it has {self.vectors.shape[1]:,} columns")

    def update(
        self, cooccurrence: CooccurrenceCounts, done: Callable[[str], None] = lambda message: None
    ) -> None:
        """Compute the vectors from these counts."""
        with self._store.writing():
            words = np.sort(np.argsort(-cooccurrence.marginals, kind="stable")[:WORDS])
            words = words[cooccurrence.marginals[words] > 0]
            done(f"computing vectors of {len(words):,} words in {DIMENSIONS} dimensions")
            name = self._store.new_part("vectors")
            save(
                self._store.part(name),
                words=words,
                vectors=_truncated_svd(_ppmi(cooccurrence, words)),
                probabilities=cooccurrence.marginals[words] / max(1.0, cooccurrence.total),
            )
            metadata = {
                "part": name,
                "counts_version": cooccurrence.version,
                "corpus_id": cooccurrence.store_id,
                "distance": cooccurrence.distance,
            }
            self._store.commit(metadata, [name])
        self._store.read(self._load)


def _ppmi(cooccurrence: CooccurrenceCounts, words: Int64Array) -> "csr_array":
    """Positive pointwise mutual information of words with words, the context distribution smoothed."""
    from scipy.sparse import csr_array  # slow to import, and rarely needed

    column = np.full(len(cooccurrence.marginals), -1, np.int64)
    column[words] = np.arange(len(words))
    marginals = cooccurrence.marginals.astype(np.float64)
    smoothed = marginals[words] ** CONTEXT_POWER
    context_probability = np.zeros(len(marginals))
    context_probability[words] = smoothed / smoothed.sum()
    sizes, columns, values = [np.zeros(1, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.float32)]
    for begin in range(0, len(words), _STEP):
        batch = words[begin : begin + _STEP]
        rows = cooccurrence.rows(batch, phrases=False)
        marginal = np.repeat(marginals[batch], np.diff(rows.indptr))
        expected = marginal * context_probability[rows.features]
        pmi = np.log(np.divide(rows.weights, expected, out=np.ones(len(marginal)), where=expected > 0))
        positive = (pmi > 0) & (column[rows.features] >= 0)
        sizes.append(np.diff(np.concatenate([[0], np.cumsum(positive)])[rows.indptr]))
        columns.append(column[rows.features[positive]])
        values.append(pmi[positive].astype(np.float32))
    indptr = np.cumsum(np.concatenate(sizes))
    shape = (len(words), len(words))
    return csr_array((np.concatenate(values), np.concatenate(columns), indptr), shape=shape)


def _truncated_svd(matrix: "csr_array") -> NDArray[np.float32]:
    """U S^(1/2) of the largest singular values; the root gives smaller ones more weight."""
    dimensions = min(DIMENSIONS, min(matrix.shape) - 1)
    if dimensions < 1:
        return np.zeros((matrix.shape[0], 1), np.float32)
    from sklearn.utils.extmath import randomized_svd  # slow to import, and rarely needed

    with limit_blas_threads():
        left, values, _ = randomized_svd(matrix, dimensions, n_iter=3, random_state=0)
    vectors: NDArray[np.float32] = (left * np.sqrt(values)).astype(np.float32)
    return vectors
