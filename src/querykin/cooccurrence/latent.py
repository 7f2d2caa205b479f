"""What do words have in common that never meet? A few hundred dimensions behind the counts of neighbours.

Positive pointwise mutual information of the commonest words with each other, cut to its largest singular
values: every word becomes a short dense vector.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.cooccurrence.counting import DISTANCE
from querykin.cooccurrence.counts import CooccurrenceCounts
from querykin.storage.array_files import load, save
from querykin.storage.store import Manifest, Store

WORDS = 50_000  # the commonest; rarer ones have too few neighbours to be placed
DIMENSIONS = 200
CONTEXT_POWER = 0.75  # damps common contexts (Levy, Goldberg & Dagan 2015)
_STEP = 2000  # rows of the matrix made at once


class LatentVectors:
    """Vectors of words on disk, made from counts of neighbours."""

    def __init__(self, path: Path) -> None:
        self._store = Store(path, "latent")
        self._store.read(self._load)

    def _load(self, manifest: Manifest) -> None:
        self.state = f"{manifest.store_id} {manifest.generation}"
        self.counted: str = manifest.metadata.get("counts_version", "")
        self.store_id: str = manifest.metadata.get("corpus_id", "")  # of the corpus
        self.distance: int = manifest.metadata.get("distance", DISTANCE)  # at which neighbours were counted
        self.words: Int64Array = np.zeros(0, np.int64)  # numbers of the vocabulary, rising
        self.vectors: NDArray[np.float32] = np.zeros((0, 0), np.float32)
        self.probabilities: Float64Array = np.zeros(0)
        if manifest.metadata:
            part = self._store.part(manifest.metadata["part"])
            self.words, self.vectors = load(part, "words"), load(part, "vectors")
            self.probabilities = load(part, "probabilities")

    def update(
        self, cooccurrence: CooccurrenceCounts, done: Callable[[str], None] = lambda message: None
    ) -> None:
        """Make the vectors anew from these counts."""
        with self._store.writing():
            words = np.sort(np.argsort(-cooccurrence.marginals, kind="stable")[:WORDS])
            words = words[cooccurrence.marginals[words] > 0]
            done(f"placing {len(words):,} words in {DIMENSIONS} dimensions")
            name = self._store.new_part("vectors")
            save(
                self._store.part(name),
                words=words,
                vectors=_factors(_information(cooccurrence, words)),
                probabilities=cooccurrence.marginals[words] / max(1.0, cooccurrence.total),
            )
            metadata = {
                "part": name,
                "counts_version": cooccurrence.state,
                "corpus_id": cooccurrence.store_id,
                "distance": cooccurrence.distance,
            }
            self._store.commit(metadata, [name])
        self._store.read(self._load)


def _information(cooccurrence: CooccurrenceCounts, words: Int64Array) -> csr_array:
    """Positive pointwise mutual information of words with words, contexts smoothed."""
    place = np.full(len(cooccurrence.marginals), -1, np.int64)
    place[words] = np.arange(len(words))
    marginals = cooccurrence.marginals.astype(np.float64)
    context = marginals[words] ** CONTEXT_POWER
    chance = np.zeros(len(marginals))
    chance[words] = context / context.sum()
    sizes, columns, values = [np.zeros(1, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.float32)]
    for begin in range(0, len(words), _STEP):
        some = words[begin : begin + _STEP]
        rows = cooccurrence.rows(some, phrases=False)
        own = np.repeat(marginals[some], np.diff(rows.indptr))
        expected = own * chance[rows.features]
        gained = np.log(np.divide(rows.weights, expected, out=np.ones(len(own)), where=expected > 0))
        kept = (gained > 0) & (place[rows.features] >= 0)
        sizes.append(np.diff(np.concatenate([[0], np.cumsum(kept)])[rows.indptr]))
        columns.append(place[rows.features[kept]])
        values.append(gained[kept].astype(np.float32))
    indptr = np.cumsum(np.concatenate(sizes))
    shape = (len(words), len(words))
    return csr_array((np.concatenate(values), np.concatenate(columns), indptr), shape=shape)


def _factors(matrix: csr_array) -> NDArray[np.float32]:
    """U S^(1/2) of the largest singular values; the root gives smaller ones a say (Levy et al. 2015)."""
    dimensions = min(DIMENSIONS, min(matrix.shape) - 1)
    if dimensions < 1:
        return np.zeros((matrix.shape[0], 1), np.float32)
    from sklearn.utils.extmath import randomized_svd  # takes its time to load, and is seldom needed

    left, values, _ = randomized_svd(matrix, dimensions, n_iter=3, random_state=0)
    factors: NDArray[np.float32] = (left * np.sqrt(values)).astype(np.float32)
    return factors
