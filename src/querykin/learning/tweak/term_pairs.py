"""Cosines of pairs of texts as a function of term-feature weights, with the gradient (Yih 2009).

A term with features phi has the weight max(0, w . phi); the score of two texts is the cosine of their
weighted terms. The terms that two texts share are found once; an evaluation is one pass over the terms and
one over the shared ones.
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
def _intersect(
    indptr: Int64Array, terms: Int64Array, left: Int64Array, right: Int64Array
) -> tuple[Int64Array, Int32Array, Int32Array]:
    """The rows of the terms that both texts of each pair have, by merging their sorted terms."""
    shared_indptr = np.zeros(len(left) + 1, np.int64)
    left_rows, right_rows = np.empty(1 << 16, np.int32), np.empty(1 << 16, np.int32)
    end = 0
    for p in range(len(left)):
        i, i_end = indptr[left[p]], indptr[left[p] + 1]
        j, j_end = indptr[right[p]], indptr[right[p] + 1]
        left_rows, right_rows = grow(left_rows, end + i_end - i), grow(right_rows, end + i_end - i)
        while i < i_end and j < j_end:
            if terms[i] == terms[j]:
                left_rows[end], right_rows[end] = i, j
                end += 1
                i += 1
                j += 1
            elif terms[i] < terms[j]:
                i += 1
            else:
                j += 1
        shared_indptr[p + 1] = end
    return shared_indptr, left_rows[:end].copy(), right_rows[:end].copy()


@njit
def _term_weights(features: Float32Matrix, w: Float64Array) -> Float64Array:
    out = np.empty(len(features))
    for i in range(len(features)):
        total = 0.0
        for j in range(len(w)):
            total += features[i, j] * w[j]
        out[i] = max(total, 0.0)
    return out


@njit
def _norms(indptr: Int64Array, weights: Float64Array) -> Float64Array:
    out = np.empty(len(indptr) - 1)
    for t in range(len(out)):
        total = 0.0
        for i in range(indptr[t], indptr[t + 1]):
            total += weights[i] * weights[i]
        out[t] = np.sqrt(total)
    return out


@njit
def _cosines(
    shared_indptr: Int64Array,
    left_rows: Int32Array,
    right_rows: Int32Array,
    weights: Float64Array,
    inverse_norms: Float64Array,
) -> Float64Array:
    out = np.empty(len(inverse_norms))
    for p in range(len(out)):
        total = 0.0
        for s in range(shared_indptr[p], shared_indptr[p + 1]):
            total += weights[left_rows[s]] * weights[right_rows[s]]
        out[p] = total * inverse_norms[p]
    return out


@njit
def _add_dot_gradient(
    shared_indptr: Int64Array,
    left_rows: Int32Array,
    right_rows: Int32Array,
    weights: Float64Array,
    factors: Float64Array,
    out: Float64Array,
) -> None:
    """Add to `out` the derivative of sum_p factors[p] dot_p with respect to each term's weight."""
    for p in range(len(factors)):
        for s in range(shared_indptr[p], shared_indptr[p + 1]):
            out[left_rows[s]] += factors[p] * weights[right_rows[s]]
            out[right_rows[s]] += factors[p] * weights[left_rows[s]]


@njit
def _feature_gradient(
    indptr: Int64Array,
    features: Float32Matrix,
    weights: Float64Array,
    dot_gradient: Float64Array,
    norm_factors: Float64Array,
    size: int,
) -> Float64Array:
    """The derivative with respect to the features' weights; terms clipped at 0 do not contribute."""
    out = np.zeros(size)
    for t in range(len(indptr) - 1):
        for i in range(indptr[t], indptr[t + 1]):
            if weights[i] > 0:
                slope = dot_gradient[i] - norm_factors[t] * weights[i]
                for j in range(size):
                    out[j] += slope * features[i, j]
    return out


@dataclass(frozen=True)
class TermPairs:
    """Texts with features for each of their terms, and pairs of these texts.

    Text t has the rows indptr[t] to indptr[t + 1] of `features`. Pair p is the texts left[p] and right[p];
    the terms that they share are the rows left_rows[s] and right_rows[s], s from shared_indptr[p] to
    shared_indptr[p + 1].
    """

    indptr: Int64Array
    features: Float32Matrix
    left: Int64Array
    right: Int64Array
    shared_indptr: Int64Array
    left_rows: Int32Array
    right_rows: Int32Array

    @classmethod
    def of(
        cls,
        indptr: Int64Array,
        terms: Int64Array,
        features: Float32Matrix,
        left: Int64Array,
        right: Int64Array,
    ) -> "TermPairs":
        """Pairs of texts; the terms of each text are in ascending order."""
        return cls(indptr, features, left, right, *_intersect(indptr, terms, left, right))

    def __len__(self) -> int:
        return len(self.left)

    @property
    def covered(self) -> BoolArray:
        """Which pairs consist of two texts with terms."""
        has_terms = np.diff(self.indptr) > 0
        covered: BoolArray = has_terms[self.left] & has_terms[self.right]
        return covered

    @cached_property
    def scales(self) -> Float64Array:
        """Root mean square of each feature; 1 where it is always 0."""
        squares = np.einsum("ij,ij->j", self.features, self.features, dtype=np.float64)
        scales = np.sqrt(squares / max(1, len(self.features)))
        return np.where(scales > 0, scales, 1.0)

    def take(self, rows: Int64Array) -> "TermPairs":
        """These pairs, with only their texts."""
        texts, text_of = np.unique(np.concatenate([self.left[rows], self.right[rows]]), return_inverse=True)
        indptr = make_indptr(np.diff(self.indptr)[texts])
        taken = gather_indices(self.indptr[texts], indptr)
        new_row = np.zeros(len(self.features), np.int32)
        new_row[taken] = np.arange(len(taken), dtype=np.int32)
        shared_indptr = make_indptr(np.diff(self.shared_indptr)[rows])
        shared = gather_indices(self.shared_indptr[rows], shared_indptr)
        return TermPairs(
            indptr,
            self.features[taken],
            text_of[: len(rows)],
            text_of[len(rows) :],
            shared_indptr,
            new_row[self.left_rows[shared]],
            new_row[self.right_rows[shared]],
        )

    def cosines(self, w: Float64Array) -> Float64Array:
        """The score of each pair; NaN where a text has no term of positive weight."""
        weights = _term_weights(self.features, w)
        inverse_norms = self._inverse_norms(_norms(self.indptr, weights))
        cosines = _cosines(self.shared_indptr, self.left_rows, self.right_rows, weights, inverse_norms)
        return np.where(inverse_norms > 0, np.minimum(cosines, 1.0), np.nan)

    def _inverse_norms(self, norms: Float64Array) -> Float64Array:
        """One over the product of the two norms of each pair; 0 where a norm is 0."""
        product = norms[self.left] * norms[self.right]
        return np.divide(1.0, product, out=np.zeros(len(product)), where=product > 0)

    def forward(self, w: Float64Array) -> tuple[Float64Array, "Backward"]:
        """The score of each pair, 0 where a text has no weight, and the means to compute the gradient."""
        weights = _term_weights(self.features, w)
        norms = _norms(self.indptr, weights)
        inverse_norms = self._inverse_norms(norms)
        cosines = _cosines(self.shared_indptr, self.left_rows, self.right_rows, weights, inverse_norms)
        return cosines, Backward(self, weights, norms, inverse_norms, cosines)


@dataclass(frozen=True)
class Backward:
    """The intermediate values of `TermPairs.forward`, for the backward pass."""

    pairs: TermPairs
    weights: Float64Array
    norms: Float64Array
    inverse_norms: Float64Array
    cosines: Float64Array

    def gradient(self, by_score: Float64Array) -> Float64Array:
        """The derivative with respect to each feature's weight, given that with respect to each score."""
        pairs, texts = self.pairs, len(self.norms)
        dot_gradient = np.zeros(len(self.weights))
        _add_dot_gradient(
            pairs.shared_indptr,
            pairs.left_rows,
            pairs.right_rows,
            self.weights,
            by_score * self.inverse_norms,
            dot_gradient,
        )
        products = by_score * self.cosines
        by_text = np.bincount(pairs.left, products, texts) + np.bincount(pairs.right, products, texts)
        squares = self.norms**2
        norm_factors = np.divide(by_text, squares, out=np.zeros(texts), where=squares > 0)
        width = pairs.features.shape[1]
        return _feature_gradient(
            pairs.indptr, pairs.features, self.weights, dot_gradient, norm_factors, width
        )
