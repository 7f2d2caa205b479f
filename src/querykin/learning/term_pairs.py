"""Pairs of texts whose terms have features: the cosine under any weights of the features, and its gradient.

The weight of a term is max(0, w . phi), phi its features; the score of two texts is the cosine of their
weighted terms (Yih 2009). Terms that two texts share are found once; an evaluation is one pass over the
terms and one over what is shared.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from querykin.compiled import Bools, Longs, Reals, Words, compiled, entries, ragged, roomy

Matrix = NDArray[np.float32]


@compiled
def _shared(first: Longs, terms: Longs, left: Longs, right: Longs) -> tuple[Longs, Words, Words]:
    """For each pair the rows of the terms that both texts have: a merge of rising lists."""
    borders = np.zeros(len(left) + 1, np.int64)
    mine, theirs = np.empty(1 << 16, np.int32), np.empty(1 << 16, np.int32)
    end = 0
    for p in range(len(left)):
        i, stop = first[left[p]], first[left[p] + 1]
        j, other_stop = first[right[p]], first[right[p] + 1]
        mine, theirs = roomy(mine, end + stop - i), roomy(theirs, end + stop - i)
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


@compiled
def _weigh(features: Matrix, w: Reals) -> Reals:
    out = np.empty(len(features))
    for i in range(len(features)):
        total = 0.0
        for j in range(len(w)):
            total += features[i, j] * w[j]
        out[i] = max(total, 0.0)
    return out


@compiled
def _lengths(first: Longs, weights: Reals) -> Reals:
    out = np.empty(len(first) - 1)
    for t in range(len(out)):
        total = 0.0
        for i in range(first[t], first[t + 1]):
            total += weights[i] * weights[i]
        out[t] = np.sqrt(total)
    return out


@compiled
def _cosines(borders: Longs, mine: Words, theirs: Words, weights: Reals, scale: Reals) -> Reals:
    out = np.empty(len(scale))
    for p in range(len(out)):
        total = 0.0
        for s in range(borders[p], borders[p + 1]):
            total += weights[mine[s]] * weights[theirs[s]]
        out[p] = total * scale[p]
    return out


@compiled
def _pulls(borders: Longs, mine: Words, theirs: Words, weights: Reals, factors: Reals, out: Reals) -> None:
    """Add to `out` how the sum of factors times inner products changes with each weight."""
    for p in range(len(factors)):
        for s in range(borders[p], borders[p + 1]):
            out[mine[s]] += factors[p] * weights[theirs[s]]
            out[theirs[s]] += factors[p] * weights[mine[s]]


@compiled
def _onto_features(
    first: Longs, features: Matrix, weights: Reals, pulls: Reals, shrinking: Reals, size: int
) -> Reals:
    """How all that changes with the features' weights; a term that is held at 0 does not move."""
    out = np.zeros(size)
    for t in range(len(first) - 1):
        for i in range(first[t], first[t + 1]):
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

    first: Longs
    features: Matrix
    left: Longs
    right: Longs
    borders: Longs
    mine: Words
    theirs: Words

    @classmethod
    def of(cls, first: Longs, terms: Longs, features: Matrix, left: Longs, right: Longs) -> "TermPairs":
        """Pairs of texts; the terms of a text rise."""
        return cls(first, features, left, right, *_shared(first, terms, left, right))

    def __len__(self) -> int:
        return len(self.left)

    @property
    def covered(self) -> Bools:
        """Which pairs are of two texts that have terms."""
        some = np.diff(self.first) > 0
        covered: Bools = some[self.left] & some[self.right]
        return covered

    @cached_property
    def sizes(self) -> Reals:
        """How large each feature is: its root mean square; 1 where it is always 0."""
        found = np.sqrt(
            np.einsum("ij,ij->j", self.features, self.features, dtype=np.float64) / max(1, len(self.features))
        )
        return np.where(found > 0, found, 1.0)

    def take(self, rows: Longs) -> "TermPairs":
        """Some of the pairs, with their texts alone."""
        texts, place = np.unique(np.concatenate([self.left[rows], self.right[rows]]), return_inverse=True)
        first = ragged(np.diff(self.first)[texts])
        lines = entries(self.first[texts], first)
        moved = np.zeros(len(self.features), np.int32)  # the new line of each line that stays
        moved[lines] = np.arange(len(lines), dtype=np.int32)
        borders = ragged(np.diff(self.borders)[rows])
        shared = entries(self.borders[rows], borders)
        left, right = place[: len(rows)], place[len(rows) :]
        mine, theirs = moved[self.mine[shared]], moved[self.theirs[shared]]
        return TermPairs(first, self.features[lines], left, right, borders, mine, theirs)

    def cosines(self, w: Reals) -> Reals:
        """The score of each pair; NaN where a text has no term that weighs anything."""
        weights = _weigh(self.features, w)
        scale = self._scale(_lengths(self.first, weights))
        found = np.minimum(_cosines(self.borders, self.mine, self.theirs, weights, scale), 1.0)
        return np.where(scale > 0, found, np.nan)

    def _scale(self, lengths: Reals) -> Reals:
        """What makes cosines of inner products; 0 where a text weighs nothing."""
        product = lengths[self.left] * lengths[self.right]
        return np.divide(1.0, product, out=np.zeros(len(product)), where=product > 0)

    def forward(self, w: Reals) -> tuple[Reals, "Backward"]:
        """The score of each pair, 0 where a text weighs nothing, and the way back to the gradient."""
        weights = _weigh(self.features, w)
        lengths = _lengths(self.first, weights)
        scale = self._scale(lengths)
        cosines = _cosines(self.borders, self.mine, self.theirs, weights, scale)
        return cosines, Backward(self, weights, lengths, scale, cosines)


@dataclass(frozen=True)
class Backward:
    """What is needed to tell how the features' weights change scores."""

    pairs: TermPairs
    weights: Reals
    lengths: Reals
    scale: Reals
    cosines: Reals

    def gradient(self, by_score: Reals) -> Reals:
        """How a quantity changes with each feature's weight, from how it changes with each score."""
        pairs, count = self.pairs, len(self.lengths)
        pulls = np.zeros(len(self.weights))
        _pulls(pairs.borders, pairs.mine, pairs.theirs, self.weights, by_score * self.scale, pulls)
        turned = by_score * self.cosines
        both = np.bincount(pairs.left, turned, count) + np.bincount(pairs.right, turned, count)
        square = self.lengths**2
        shrinking = np.divide(both, square, out=np.zeros(count), where=square > 0)
        size = pairs.features.shape[1]
        return _onto_features(pairs.first, pairs.features, self.weights, pulls, shrinking, size)
