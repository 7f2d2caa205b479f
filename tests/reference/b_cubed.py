"""B-cubed as Bagga & Baldwin (1998) print it: from the items that share cluster and class."""

from collections.abc import Sequence
from fractions import Fraction


def b_cubed(clusters: Sequence[int], classes: Sequence[int]) -> list[tuple[Fraction, Fraction]]:
    """Precision and recall of each item."""
    items, found = range(len(clusters)), []
    for item in items:
        cluster = {other for other in items if clusters[other] == clusters[item]}
        of_class = {other for other in items if classes[other] == classes[item]}
        correct = len(cluster & of_class)
        found.append((Fraction(correct, len(cluster)), Fraction(correct, len(of_class))))
    return found
