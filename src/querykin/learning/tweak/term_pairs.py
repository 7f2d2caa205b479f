"""Pairs of texts whose terms have features: the cosine under any weights of the features, and its gradient.

The weight of a term is max(0, w . phi), phi its features; the score of two texts is the cosine of their
weighted terms (Yih 2009). Terms that two texts share are found once; an evaluation is one pass over the
terms and one over what is shared.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import (
    BoolArray,
    Float64Array,
    Int32Array,
    Int64Array,
    gather_indices,
    grow,
    make_indptr,
)
from querykin.compute.jit import njit

Float32Matrix = NDArray[np.float32]


@njit
def _shared(
    indptr: Int64Array, terms: Int64Array, left: Int64Array, right: Int64Array
) -> tuple[Int64Array, Int32Array, Int32Array]:
    """For each pair the rows of the terms that both texts have: a merge of rising lists."""
    borders = np.zeros(len(left) + 1, np.int64)
    mine, theirs = np.empty(1 << 16, np.int32), np.empty(1 << 16, np.int32)
    end = 0
    for p in range(len(left)):
        i, stop = indptr[left[p]], indptr[left[p] + 1]
        j, other_stop = indptr[right[p]], indptr[right[p] + 1]
        mine, theirs = grow(mine, end + stop - i), grow(theirs, end + stop - i)
        while i < stop and j < other_stop:
            if terms[i] == terms[j]:
                mine[end], theirs[end] = i, j
                end += 1
                i += 1
                j += 1
            elif terms[i] < terms[j]:
                i += 1
            else:
                j += 1
        borders[p + 1] = end
    return borders, mine[:end].copy(), theirs[:end].copy()


@njit
def _weigh(features: Float32Matrix, w: Float64Array) -> Float64Array:
    out = np.empty(len(features))
    for i in range(len(features)):
        total = 0.0
        for j in range(len(w)):
            total += features[i, j] * w[j]
        out[i] = max(total, 0.0)
    return out


@njit
def _lengths(indptr: Int64Array, weights: Float64Array) -> Float64Array:
    out = np.empty(len(indptr) - 1)
    for t in range(len(out)):
        total = 0.0
        for i in range(indptr[t], indptr[t + 1]):
            total += weights[i] * weights[i]
        out[t] = np.sqrt(total)
    return out


@njit
def _cosines(
    borders: Int64Array, mine: Int32Array, theirs: Int32Array, weights: Float64Array, scale: Float64Array
) -> Float64Array:
    out = np.empty(len(scale))
    for p in range(len(out)):
        total = 0.0
        for s in range(borders[p], borders[p + 1]):
            total += weights[mine[s]] * weights[theirs[s]]
        out[p] = total * scale[p]
    return out


@njit
def _pulls(
    borders: Int64Array,
    mine: Int32Array,
    theirs: Int32Array,
    weights: Float64Array,
    factors: Float64Array,
    out: Float64Array,
) -> None:
    """Add to `out` how the sum of factors times inner products changes with each weight."""
    for p in range(len(factors)):
        for s in range(borders[p], borders[p + 1]):
            out[mine[s]] += factors[p] * weights[theirs[s]]
            out[theirs[s]] += factors[p] * weights[mine[s]]


@njit
def _onto_features(
    indptr: Int64Array,
    features: Float32Matrix,
    weights: Float64Array,
    pulls: Float64Array,
    shrinking: Float64Array,
    size: int,
) -> Float64Array:
    """How all that changes with the features' weights; a term that is held at 0 does not move."""
    out = np.zeros(size)
    for t in range(len(indptr) - 1):
        for i in range(indptr[t], indptr[t + 1]):
            if weights[i] > 0:
                pull = pulls[i] - shrinking[t] * weights[i]
                for j in range(size):
                    out[j] += pull * features[i, j]
    return out


@dataclass(frozen=True)
class TermPairs:
    """Texts with features for each of their terms, and pairs of these texts.

    Text t has lines first[t] to first[t + 1] of `features`; pair p is text left[p] and text right[p], which
    share the terms of lines mine[s] and theirs[s], s from borders[p] to borders[p + 1].
    """

    indptr: Int64Array
    features: Float32Matrix
    left: Int64Array
    right: Int64Array
    borders: Int64Array
    mine: Int32Array
    theirs: Int32Array

    @classmethod
    def of(
        cls,
        indptr: Int64Array,
        terms: Int64Array,
        features: Float32Matrix,
        left: Int64Array,
        right: Int64Array,
    ) -> "TermPairs":
        """Pairs of texts; the terms of a text rise."""
        return cls(indptr, features, left, right, *_shared(indptr, terms, left, right))

    def __len__(self) -> int:
        return len(self.left)

    @property
    def covered(self) -> BoolArray:
        """Which pairs are of two texts that have terms."""
        some = np.diff(self.indptr) > 0
        covered: BoolArray = some[self.left] & some[self.right]
        return covered

    @cached_property
    def sizes(self) -> Float64Array:
        """How large each feature is: its root mean square; 1 where it is always 0."""
        found = np.sqrt(
            np.einsum("ij,ij->j", self.features, self.features, dtype=np.float64) / max(1, len(self.features))
        )
        return np.where(found > 0, found, 1.0)

    def take(self, rows: Int64Array) -> "TermPairs":
        """Some of the pairs, with their texts alone."""
        texts, place = np.unique(np.concatenate([self.left[rows], self.right[rows]]), return_inverse=True)
        indptr = make_indptr(np.diff(self.indptr)[texts])
        lines = gather_indices(self.indptr[texts], indptr)
        moved = np.zeros(len(self.features), np.int32)  # the new line of each line that stays
        moved[lines] = np.arange(len(lines), dtype=np.int32)
        borders = make_indptr(np.diff(self.borders)[rows])
        shared = gather_indices(self.borders[rows], borders)
        left, right = place[: len(rows)], place[len(rows) :]
        mine, theirs = moved[self.mine[shared]], moved[self.theirs[shared]]
        return TermPairs(indptr, self.features[lines], left, right, borders, mine, theirs)

    def cosines(self, w: Float64Array) -> Float64Array:
        """The score of each pair; NaN where a text has no term that weighs anything."""
        weights = _weigh(self.features, w)
        scale = self._scale(_lengths(self.indptr, weights))
        found = np.minimum(_cosines(self.borders, self.mine, self.theirs, weights, scale), 1.0)
        return np.where(scale > 0, found, np.nan)

    def _scale(self, lengths: Float64Array) -> Float64Array:
        """What makes cosines of inner products; 0 where a text weighs nothing."""
        product = lengths[self.left] * lengths[self.right]
        return np.divide(1.0, product, out=np.zeros(len(product)), where=product > 0)

    def forward(self, w: Float64Array) -> tuple[Float64Array, "Backward"]:
        """The score of each pair, 0 where a text weighs nothing, and the way back to the gradient."""
        weights = _weigh(self.features, w)
        lengths = _lengths(self.indptr, weights)
        scale = self._scale(lengths)
        cosines = _cosines(self.borders, self.mine, self.theirs, weights, scale)
        return cosines, Backward(self, weights, lengths, scale, cosines)


@dataclass(frozen=True)
class Backward:
    """What is needed to tell how the features' weights change scores."""

    pairs: TermPairs
    weights: Float64Array
    lengths: Float64Array
    scale: Float64Array
    cosines: Float64Array

    def gradient(self, by_score: Float64Array) -> Float64Array:
        """How a quantity changes with each feature's weight, from how it changes with each score."""
        pairs, count = self.pairs, len(self.lengths)
        pulls = np.zeros(len(self.weights))
        _pulls(pairs.borders, pairs.mine, pairs.theirs, self.weights, by_score * self.scale, pulls)
        turned = by_score * self.cosines
        both = np.bincount(pairs.left, turned, count) + np.bincount(pairs.right, turned, count)
        square = self.lengths**2
        shrinking = np.divide(both, square, out=np.zeros(count), where=square > 0)
        size = pairs.features.shape[1]
        return _onto_features(pairs.indptr, pairs.features, self.weights, pulls, shrinking, size)
