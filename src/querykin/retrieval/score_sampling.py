"""The scores of random pairs of past queries, sampled through a retriever."""

from collections.abc import Iterator

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.progress import SILENT, Progress
from querykin.retrieval.retrievers import CandidateScorer
from querykin.retrieval.score_distribution import ScoreDistribution

# 100,000 pairs tell percentiles up to 99.99. Encoding a query costs as much as scoring hundreds of rows of an
# index, so that every sampled query is compared with many candidates.
QUERIES = 500
CANDIDATES = 200
MIN_QUERIES = 11  # 110 pairs: percentiles up to 90
_SEED = 49  # the same repository gives the same sample


def sample_scores(scorer: CandidateScorer, name: str, progress: Progress = SILENT) -> ScoreDistribution:
    """The scores of random pairs of two different queries, of all pairs in a small repository."""
    repository = scorer.repository
    live = repository.live_ids()
    pairs = min(len(live), QUERIES) * min(len(live) - 1, CANDIDATES)
    progress.message(f"{name}: sampling the scores of {pairs:,} random pairs")
    scores = [np.zeros(0)]
    with progress.task(f"sampling {name}", min(len(live), QUERIES)) as advance:
        for query_id, candidates in random_pairs(live):
            scores.append(scorer.scores(repository.query(query_id), candidates))
            advance(1)
    return ScoreDistribution.of(np.concatenate(scores))


def random_pairs(live: Int64Array) -> Iterator[tuple[int, Int64Array]]:
    """Random queries out of those given by id, each with random other queries, none twice.

    >>> {query: others.tolist() for query, others in random_pairs(np.array([3, 5, 8]))}
    {3: [5, 8], 5: [3, 8], 8: [3, 5]}
    """
    rng = np.random.default_rng(_SEED)
    for row in np.sort(rng.permutation(len(live))[:QUERIES]).tolist():
        drawn = rng.choice(len(live) - 1, min(CANDIDATES, len(live) - 1), replace=False)
        others = np.sort(drawn)
        yield int(live[row]), live[others + (others >= row)]  # all rows but its own
