"""Whether a threshold learned on other pages suits the pages at hand, judged without labels.

Queries paired with pages of other queries show which scores arise by chance. A threshold that few good pages
reach drops many pairs that score above chance; one that is too low keeps mismatched pairs.
"""

import numpy as np

from querykin.compute.arrays import Float64Array

CHANCE = 0.95  # quantile of the scores of mismatched pairs
MIN_PAIRS = 50  # mismatched pairs with a score; fewer say nothing about that quantile
# Share of the pairs above chance that are dropped, and of the mismatched pairs that are kept; decision 41.
MAX_DROPPED, MAX_MISMATCHED = 1 / 3, 0.05


class ThresholdCheck:
    """Collects the scores of a run of the filter.

    >>> check = ThresholdCheck()
    >>> check.add(np.full(60, 0.1), np.full(60, 0.01))
    >>> check.remark(0.2)[:64]
    'the threshold may be too high for these pages: 60 of 60 pages th'
    >>> check.remark(0.05) is None
    True
    """

    def __init__(self) -> None:
        self._scores: list[Float64Array] = []
        self._mismatched: list[Float64Array] = []

    def add(self, scores: Float64Array, mismatched: Float64Array) -> None:
        """Add the scores of pairs, and of queries with pages of other queries; NaN is ignored."""
        self._scores.append(scores[~np.isnan(scores)])
        self._mismatched.append(mismatched[~np.isnan(mismatched)])

    def shares(self, threshold: float) -> tuple[float, float, float]:
        """The score of chance, the share of pairs above it that are dropped, and of mismatched pairs kept."""
        scores, mismatched = np.concatenate(self._scores), np.concatenate(self._mismatched)
        chance = float(np.quantile(mismatched, CHANCE))
        above = scores[scores > chance]
        dropped = float((above < threshold).mean()) if len(above) else 0.0
        return chance, dropped, float((mismatched >= threshold).mean())

    def remark(self, threshold: float) -> str | None:
        """One sentence if the threshold is likely to be wrong for these pages."""
        if sum(map(len, self._mismatched)) < MIN_PAIRS:
            return None
        chance, dropped, kept = self.shares(threshold)
        if dropped > MAX_DROPPED:
            above = int((np.concatenate(self._scores) > chance).sum())
            return (
                f"the threshold may be too high for these pages: {round(dropped * above):,} of {above:,} "
                f"pages that score above chance ({chance:.2g}) are dropped; next: judge some of them and "
                f"querykin train tweak FILE --pages --recall 0.95, or --threshold {chance:.2g}"
            )
        if kept > MAX_MISMATCHED:
            return (
                f"the threshold may be too low for these pages: {kept:.0%} of the queries would keep the "
                "page of another query; next: judge some pages and querykin train tweak FILE --pages "
                f"--recall 0.95, or --threshold {chance:.2g}"
            )
        return None
