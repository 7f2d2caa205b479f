"""How good the groups of a method are: a threshold chosen on one half of a list, judged on the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.metrics import adjusted_rand_score

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.evaluation.b_cubed import BCubed, b_cubed, harmonic_mean
from querykin.evaluation.significance import RESAMPLES, Interval
from reproduce.cluster_methods import Cut, Method
from reproduce.cluster_sets import ClusterSet, Half


@dataclass(frozen=True)
class Measured:
    """A method on a list: the clusters of both halves at every threshold that it may choose."""

    method: Method
    listed: ClusterSet
    cuts: Sequence[Cut]

    @classmethod
    def of(cls, method: Method, listed: ClusterSet) -> "Measured":
        """Compute what the method needs, once for each half."""
        print(f"  {listed.name}: {method.name}", flush=True)
        return cls(method, listed, [method.prepare(half) for half in listed.halves])

    @cached_property
    def curves(self) -> list[Mapping[float, float]]:
        """The B-cubed F of each half by threshold."""
        return [
            {each: judged(half, cut(each)).f() for each in self.method.choices}
            for half, cut in zip(self.listed.halves, self.cuts, strict=True)
        ]

    def chosen(self) -> list[float]:
        """The threshold for each half: the best one of the other half."""
        return [max(curve, key=curve.__getitem__) for curve in reversed(self.curves)]

    def best_of_both(self) -> float:
        """The threshold with the best mean over the halves."""
        return max(self.method.choices, key=lambda each: sum(curve[each] for curve in self.curves))

    def quality(self, thresholds: Sequence[float]) -> "Quality":
        """The quality of both halves together, each at its threshold."""
        found, rand = [], []
        for half, cut, threshold in zip(self.listed.halves, self.cuts, thresholds, strict=True):
            clusters = cut(threshold)
            found.append(judged(half, clusters))
            rand.append(adjusted_rand_score(half.classes[half.judged], clusters[half.judged]))
        precision, recall = (np.concatenate(side) for side in zip(*found, strict=True))
        return Quality(tuple(thresholds), BCubed(precision, recall), float(np.mean(rand)))


@dataclass(frozen=True)
class Quality:
    """B-cubed of every judged keyword of both halves, and the mean of the adjusted Rand indexes."""

    thresholds: tuple[float, ...]
    b_cubed: BCubed
    rand: float


def judged(half: Half, clusters: Int64Array) -> BCubed:
    """B-cubed of the keywords with a class; others in their clusters count as wrong."""
    found = b_cubed(clusters, half.classes)
    return BCubed(found.precision[half.judged], found.recall[half.judged])


def compare(ours: BCubed, theirs: BCubed, groups: Int64Array, seed: int = 0) -> Interval:
    """The difference of two F, with a paired bootstrap interval over groups of keywords.

    >>> perfect, split = b_cubed(np.array([0, 0, 1]), np.array([0, 0, 1])), b_cubed(np.arange(3), np.array([0, 0, 1]))
    >>> compare(perfect, perfect, np.arange(3))
    Interval(difference=0.0, low=0.0, high=0.0)
    >>> round(compare(perfect, split, np.arange(3)).difference, 3)
    0.2
    """
    _, numbers = np.unique(groups, return_inverse=True)
    count = int(numbers.max()) + 1
    drawn = np.random.default_rng(seed).integers(0, count, (RESAMPLES, count))
    weights = np.stack([np.bincount(each, minlength=count) for each in [np.arange(count), *drawn]])
    differences = _f(ours, numbers, weights) - _f(theirs, numbers, weights)
    low, high = np.quantile(differences[1:], [0.025, 0.975])
    return Interval(float(differences[0]), float(low), float(high))


def _f(found: BCubed, groups: Int64Array, weights: Int64Array) -> Float64Array:
    """The F under each row of weights of the groups."""
    sizes = weights @ np.bincount(groups)
    precision, recall = (weights @ np.bincount(groups, each) / sizes for each in found)
    return harmonic_mean(precision, recall)
