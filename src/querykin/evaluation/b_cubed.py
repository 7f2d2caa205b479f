"""B-cubed precision and recall of clusters against known classes (Bagga & Baldwin 1998).

Of the usual metrics of clusterings it alone meets the four constraints of Amigó et al. (2009): homogeneity,
completeness, rag bag, and cluster size against cluster quantity.
"""

from typing import NamedTuple

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array


class BCubed(NamedTuple):
    """For each item, the share of its cluster that has its class, and of its class that is in its cluster."""

    precision: Float64Array
    recall: Float64Array

    def f(self) -> float:
        """The harmonic mean of the mean precision and the mean recall.

        >>> round(b_cubed(np.array([0, 0, 1, 1]), np.array([7, 7, 7, 8])).f(), 3)
        0.706
        """
        return float(harmonic_mean(self.precision.mean(), self.recall.mean()))


def b_cubed(clusters: Int64Array, classes: Int64Array) -> BCubed:
    """B-cubed of every item, given the number of its cluster and of its class; an item is in one of each.

    >>> found = b_cubed(np.array([0, 0, 1, 1]), np.array([7, 7, 7, 8]))
    >>> found.precision.tolist(), found.recall.round(3).tolist()
    ([1.0, 1.0, 0.5, 0.5], [0.667, 0.667, 0.333, 1.0])
    """
    cluster_sizes, class_sizes = _sizes(clusters), _sizes(classes)
    _, joint = np.unique(np.stack([clusters, classes]), axis=1, return_inverse=True)
    common = _sizes(joint.ravel())
    return BCubed(common / cluster_sizes, common / class_sizes)


def harmonic_mean(precision: Float64Array, recall: Float64Array) -> Float64Array:
    """The F measure of precision and recall."""
    f: Float64Array = 2 * precision * recall / (precision + recall)
    return f


def _sizes(numbers: Int64Array) -> Int64Array:
    """For each item, how many items have its number."""
    _, inverse, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    sizes: Int64Array = counts[inverse]
    return sizes
