"""The share of judged pairs above a threshold that were good."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from querykin.measures.base import Measure
from querykin.measures.batch_scorer import BatchScorer
from querykin.server.judgement_store import JudgementStore

MAX_PAIRS = 1000  # the newest judged pairs, which are scored when they are first asked for
CONFIDENCE = 0.95
TextPair = tuple[str, str]


@dataclass(frozen=True)
class GoodShare:
    """How many judged pairs are above the threshold, how many of them are good, and Wilson's interval."""

    judged: int
    good: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The share of good pairs."""
        return self.good / self.judged


def judged_pairs(store: JudgementStore) -> dict[TextPair, bool]:
    """Whether the judged pairs are good: the mean grade in a task reaches what its scale calls relevant.

    Of a pair in several tasks the newest counts. The newest tasks come first.
    """
    found: dict[TextPair, bool] = {}
    for task in store.tasks():
        if task.scale.relevant is None:
            continue
        grades: dict[TextPair, list[float]] = {}
        for each in store.given(task.name):
            if each.grade is not None:
                grades.setdefault((each.query, each.candidate), []).append(each.grade)
        for pair, given in grades.items():
            found.setdefault(pair, fmean(given) >= task.scale.relevant)
    return dict(list(found.items())[:MAX_PAIRS])


def score_pairs(pairs: Mapping[TextPair, bool], measure: Measure, known: dict[TextPair, float]) -> None:
    """Add the scores of pairs that are not known yet."""
    new = [pair for pair in pairs if pair not in known]
    if new:
        queries, candidates = (list(side) for side in zip(*new, strict=True))
        known |= zip(new, BatchScorer({"": measure}).score(queries, candidates)[""].tolist(), strict=True)


def good_share(
    pairs: Mapping[TextPair, bool], scores: Mapping[TextPair, float], threshold: float
) -> GoodShare | None:
    """The share of good pairs among those at or above a threshold; None if there are none.

    >>> good_share({("a", "b"): True, ("a", "c"): False}, {("a", "b"): 0.9, ("a", "c"): 0.1}, 0.5)
    GoodShare(judged=1, good=1, low=0.207, high=1.0)
    """
    above = [good for pair, good in pairs.items() if scores[pair] >= threshold]  # NaN is not above
    if not above:
        return None
    from scipy.stats import binomtest  # slow to import, and a service starts without

    low, high = binomtest(sum(above), len(above)).proportion_ci(CONFIDENCE, method="wilson")
    return GoodShare(len(above), sum(above), *np.round([low, high], 3).tolist())
